"""Drives whole turns of footnote with a small real model behind llama.cpp's server, and prints what was met: try.py BINARY.

The model has 135 million parameters. It answers badly; it streams, truncates, refuses tools, runs out of window and dies like the large ones,
which is what it is for. Exits 1 when a turn does not end as it should, whatever it says.
"""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import urllib.request

from recorder import Recorder

HERE = pathlib.Path(__file__).parent
OUTCOMES = {"answered", "no_evidence", "refused", "failed", "limited", "stopped"}


class Server:
    """A model server in a process of its own, behind a recorder."""

    def __init__(self, window, template):
        self.process = subprocess.Popen([sys.executable, HERE / "server.py", str(window), template], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.recorder = Recorder(self.process.stdout.readline().strip())

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.kill()
        self.process.wait()
        self.recorder.shutdown()


class Bot:
    def __init__(self, binary, folder):
        self.binary, self.env = binary, {**os.environ, "XDG_DATA_HOME": folder, "FOOTNOTE_DATA": "", "FOOTNOTE_CONFIG": "", "LLM_MODEL": "SmolLM2-135M-Instruct",
                                         "OPENAI_API_KEY": "none", "MAX_CHUNKS_FED_TO_CHAT": "3", "LOG_LEVEL": "warn"}
        for name in ("DATABASE_URL", "FALLBACK_LLM_MODEL", "FAST_LLM_MODEL", "EMBEDDING_MODEL", "RERANK_URL"):
            self.env.pop(name, None)

    def start(self, server, *args, **settings):
        env = {**self.env, **settings}
        if server:
            env["OPENAI_BASE_URL"] = server.recorder.url
        return subprocess.Popen([self.binary, *args], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, server, *args, text=None, **settings):
        process = self.start(server, *args, **settings)
        out, err = process.communicate(text, timeout=900)
        return out, err

    def ask(self, server, question, **settings):
        out, err = self.run(server, "ask", question, "--json", **settings)
        return parsed(out, err)


def parsed(out, err):
    try:
        return json.loads(out)
    except json.JSONDecodeError:
        return {"outcome": "", "answer": "", "message": (out + err).strip()[-200:], "citations": []}


def shortened(text):
    text = " ".join(text.split()).replace("|", "/")
    return text if len(text) <= 160 else text[:80] + " … " + text[-76:]


faults = []


def check(good, what):
    if not good:
        faults.append(what)


def facts(exchanges):
    """Says in words what was met."""
    said = []
    if any(e.tools for e in exchanges):
        refused = [e for e in exchanges if e.tools and e.status != 200]
        said.append(f"a request with tools refused {len(refused)}×: {shortened(refused[0].refusal)[:90]}" if refused else "tools accepted")
    elif exchanges:
        said.append("no tools sent")
    calls = sum(e.calls for e in exchanges)
    said.append(f"{calls} native calls")
    done = [e for e in exchanges if e.status == 200 and e.finish]
    if done:
        said.append("usage streamed" if all(e.usage for e in done) else "no usage" if not any(e.usage for e in done) else "usage now and then")
        said.append("finish " + ", ".join(sorted({e.finish for e in done})))
    if any(e.stop for e in exchanges):
        said.append("stop sent")
    for e in exchanges:
        if e.left:
            said.append(f"the bot hung up after {e.ended - e.began:.0f} s")
        if e.error:
            said.append(f"an error in the stream: {e.error[:60]!r}")
        if e.refusal and not e.tools:
            said.append(f"refused with {e.status}: {e.refusal[:80]!r}")
    firsts = [e.first - e.began for e in exchanges if e.first]
    if firsts:
        said.append(f"first words after {max(firsts):.0f} s")
    if any(e.broke for e in exchanges):
        said.append("the server broke off")
    return "; ".join(said)


def row(name, reply, server, before=0):
    server.recorder.settled(60)
    exchanges = server.recorder.exchanges[before:]
    said = " — ".join(part for part in (reply.get("answer"), reply.get("message")) if part)
    print(f"| {name} | {reply.get('outcome') or '(none)'} | {len(reply.get('citations') or [])} | {len(exchanges)} | {facts(exchanges)} | "
          f"{shortened(said)} |", flush=True)
    check(reply.get("outcome") in OUTCOMES, f"{name}: the turn has no outcome: {reply.get('message')}")
    check(reply.get("answer") or reply.get("message"), f"{name}: the asker is told nothing")


def turns(bot):
    """Every question to a server that takes tools."""
    false = unanswerable = 0
    with Server(8192, "jinja") as server, open(HERE / "questions.tsv", encoding="utf-8") as file:
        for q in csv.DictReader(file, delimiter="\t"):
            before = len(server.recorder.exchanges)
            reply = bot.ask(server, q["question"], LLM_WINDOW="8192")
            row(q["id"], reply, server, before)
            check(server.recorder.exchanges[before:], f"{q['id']}: the model was not asked")
            if q["pages_regex"] == "-":
                unanswerable += 1
                false += reply.get("outcome") == "answered"
    print(f"\nfalse answers: {false} of {unanswerable} questions that the documents do not answer\n")


def forced(bot):
    """An agent that begins with a search: the server makes the model write a call."""
    with Server(8192, "jinja") as server:
        reply = bot.ask(server, "How many vacation days do I have?", LLM_WINDOW="8192", FOOTNOTE_CONFIG=str(HERE / "footnote.yaml"))
        row("a search that is required", reply, server)
        check(any(e.forced for e in server.recorder.exchanges), "no call was required")


def caching(bot):
    """Each step of a turn begins with the prompt of the one before, so the server reads only the rest. The turn is played through files."""
    with tempfile.TemporaryDirectory() as folder, Server(8192, "jinja") as server:
        played = pathlib.Path(folder)
        for n, query in enumerate(("vacation days", "carry vacation days over"), 1):
            (played / f"{n:04}.reply.json").write_text(json.dumps({"calls": [{"name": "internal_search", "arguments": {"queries": [query]}}]}))
        (played / "0003.reply.txt").write_text("The handbook says so [1].")
        files = subprocess.Popen([sys.executable, "-u", HERE.parent / "filemodel" / "server.py", folder], stdout=subprocess.PIPE, text=True)
        try:
            bot.run(None, "ask", "How many vacation days do I have?", LLM_WINDOW="8192", OPENAI_BASE_URL=files.stdout.readline().strip())
        finally:
            files.kill()
            files.wait()
        before = 0
        for path in sorted(played.glob("*.request.json")):
            body = {**json.loads(path.read_text(encoding="utf-8")), "stream": False, "max_tokens": 1}
            body.pop("stream_options", None)
            request = urllib.request.Request(server.recorder.url + "/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
            with urllib.request.urlopen(request) as answer:
                usage = json.load(answer)["usage"]
            cached = usage["prompt_tokens_details"]["cached_tokens"]
            print(f"| a step of {usage['prompt_tokens']} tokens |  |  | 1 | {cached} of the {before} tokens of the step before are cached |  |", flush=True)
            check(cached >= 0.95 * before, "a step does not begin with the prompt of the one before")
            before = usage["prompt_tokens"]
        check(len(list(played.glob("*.request.json"))) == 3, "the turn that is played has not three steps")


def refusing(bot):
    """A server that refuses tools is told so once, and the same turn goes on in text."""
    with Server(8192, "plain") as server:
        out, _ = bot.run(server, "chat", text="How many vacation days do I have?\nHow much is refunded for meals on a trip?\n", LLM_WINDOW="8192")
        met = server.recorder.exchanges
        refused = [e for e in met if e.tools and e.status != 200]
        words = json.loads(refused[0].refusal)["error"]["message"] if refused else ""
        print(f"| a server that refuses tools, two questions | {'answered' if out.strip() else '(nothing)'} |  | {len(met)} | {facts(met)}: {words!r} | {shortened(out)} |")
        check(len(refused) == 1, f"tools were refused {len(refused)} times, want once for the life of the process")
        check(len(met) > 2 and met[-1].status == 200 and not met[-1].tools, "after the refusal no turn went on without tools")
        check(out.strip(), "two questions to a server without tools: nothing was said")


def overflowing(bot):
    """A window that is smaller than the bot was told, and one that it knows of."""
    with Server(1024, "jinja") as server:
        row("a window of 1,024 that is not known", bot.ask(server, "How many vacation days do I have?"), server)
    with Server(2048, "jinja") as server:
        row("a window of 2,048 that is known", bot.ask(server, "How many vacation days do I have?", LLM_WINDOW="2048"), server)


def stopping(bot):
    """Whoever stops an answer stops the server's work."""
    with Server(8192, "jinja") as server:
        process = bot.start(server, "ask", "Tell me everything about vacation, expenses, backups and laptops.", "--json", LLM_WINDOW="8192")
        sent = []
        server.recorder.on_text = lambda: sent or (sent.append(1), process.send_signal(signal.SIGINT))
        out, err = process.communicate(timeout=900)
        server.recorder.settled(60)
        reply, met = parsed(out, err), server.recorder.exchanges
        print(f"| stopped at its first words | {reply.get('outcome') or 'ended'} |  | {len(met)} | {facts(met)} |  |")
        check(not sent or any(e.left for e in met) or any(e.finish for e in met), "the bot was stopped and did not hang up")


def dying(bot):
    """A server that is gone in the middle of an answer."""
    with Server(8192, "jinja") as server:
        server.recorder.on_text = server.process.kill
        reply = bot.ask(server, "How many vacation days do I have?", LLM_WINDOW="8192")
        row("killed at its first words", reply, server)
        check(reply.get("outcome") in {"failed", "limited"}, f"the server died and the outcome is {reply.get('outcome')}")


def main():
    with tempfile.TemporaryDirectory(prefix="footnote-") as folder:
        os.chmod(folder, 0o711)  # the user who runs PostgreSQL for root has to get through
        bot = Bot(str(pathlib.Path(sys.argv[1]).resolve()), folder)
        out, err = bot.run(None, "index", str(HERE / "handbook"))
        print((out + err).strip().splitlines()[-1], "\n")
        print("| question | outcome | citations | requests | met | said |\n|---|---|---|---|---|---|")
        only = sys.argv[2:]
        for part in (turns, forced, caching, refusing, overflowing, stopping, dying):
            if not only or part.__name__ in only:
                part(bot)
    for fault in faults:
        print("fault:", fault)
    print("every turn ended as it should" if not faults else f"{len(faults)} faults")
    sys.exit(bool(faults))


main()
