"""A model that a person or a program plays through files: server.py FOLDER [PORT].

Each request becomes FOLDER/0001.request.json, 0002 and so on. The reply is read from FOLDER/0001.reply.txt, which is the text of an
answer, or from FOLDER/0001.reply.json, such as {"text": "…", "calls": [{"name": "internal_search", "arguments": {"queries": ["…"]}}]}.
Write it under another name first and rename it. A reply that is there already is sent at once, so a folder of replies replays a run.
FOLDER/prefixes.tsv says how much of each request repeats the one before.
"""
import http.server
import json
import os
import pathlib
import sys
import threading
import time

HEARTBEAT = 10  # seconds


def text_of(body):
    """The request as a model reads it: tools first, as chat templates put them."""
    return json.dumps(body.get("tools") or [], ensure_ascii=False) + "".join(
        "\n" + json.dumps(m, ensure_ascii=False) for m in body.get("messages", []))


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        self.send(json.dumps({"object": "list", "data": [{"id": "files", "object": "model"}]}).encode(), "application/json")

    def send(self, data, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        number = self.server.record(body)
        if not body.get("stream"):
            reply = self.wait(number, lambda: None)
            message, finish = spelled(reply)
            self.send(json.dumps({"model": body.get("model"), "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
                                  "usage": usage(body, reply)}).encode(), "application/json")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            reply = self.wait(number, lambda: self.put(": waiting\n\n"))
            message, finish = spelled(reply)
            for i, call in enumerate(message.get("tool_calls", [])):
                call["index"] = i
            self.event(body, [{"index": 0, "delta": {"role": "assistant", **message}, "finish_reason": None}])
            self.event(body, [{"index": 0, "delta": {}, "finish_reason": finish}])
            if (body.get("stream_options") or {}).get("include_usage"):
                self.event(body, [], usage=usage(body, reply))
            self.put("data: [DONE]\n\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # the bot hung up
        self.close_connection = True

    def event(self, body, choices, **more):
        self.put("data: " + json.dumps({"object": "chat.completion.chunk", "model": body.get("model"), "choices": choices, **more}) + "\n\n")

    def put(self, text):
        self.wfile.write(text.encode())
        self.wfile.flush()

    def wait(self, number, heartbeat):
        """Returns the reply once its file is there."""
        beaten = time.monotonic()
        while True:
            for ending in ("txt", "json"):
                path = self.server.folder / f"{number:04}.reply.{ending}"
                if path.exists():
                    text = path.read_text(encoding="utf-8")
                    return json.loads(text) if ending == "json" else {"text": text.strip()}
            if time.monotonic() - beaten > HEARTBEAT:
                heartbeat()
                beaten = time.monotonic()
            time.sleep(0.05)


def spelled(reply):
    """The message and the finish reason of a reply, as the API has them."""
    message = {"content": reply.get("text") or ""}
    calls = [{"id": f"call_{i + 1}", "type": "function", "function": {"name": c["name"], "arguments": json.dumps(c.get("arguments") or {})}}
             for i, c in enumerate(reply.get("calls") or [])]
    if calls:
        message["tool_calls"] = calls
    return message, "tool_calls" if calls else reply.get("finish") or "stop"


def usage(body, reply):
    """Tokens, at four characters each."""
    read, written = len(text_of(body)) // 4, len(json.dumps(reply)) // 4
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder, port):
        super().__init__(("127.0.0.1", port), Handler)
        self.folder, self.lock, self.number, self.before = folder, threading.Lock(), 0, ""

    def record(self, body):
        with self.lock:
            self.number += 1
            text = text_of(body)
            shared = len(os.path.commonprefix([self.before, text]))
            with open(self.folder / "prefixes.tsv", "a", encoding="utf-8") as file:
                file.write(f"{self.number}\t{shared}\t{len(self.before)}\t{len(text)}\n")
            self.before = text
            path = self.folder / f"{self.number:04}.request.json"
            path.with_suffix(".part").write_text(json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8")
            path.with_suffix(".part").rename(path)
            return self.number


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prefixes.tsv").write_text("request\tshared\tbefore\tlength\n", encoding="utf-8")
    server = Server(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
