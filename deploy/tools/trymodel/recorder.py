"""A proxy in front of a model server that passes everything on as it comes and notes the facts of each exchange."""
import http.client
import http.server
import json
import threading
import time
import urllib.parse


class Exchange:
    """What was asked of the server and what it did."""

    def __init__(self, body):
        self.question = " ".join(str(m.get("content")) for m in body.get("messages", []) if m.get("role") == "user")
        self.tools = len(body.get("tools") or [])
        self.forced = body.get("tool_choice") not in (None, "auto", "none")
        self.stop = "stop" in body
        self.asked_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        self.status, self.refusal = 0, ""
        self.usage, self.finish, self.calls, self.written = None, "", 0, 0
        self.left = self.broke = False
        self.began, self.first, self.ended = time.monotonic(), None, None
        self.error, self.over = "", threading.Event()

    def read(self, line):
        """Notes one line of the stream."""
        if not line.startswith(b"data: {"):
            return
        event = json.loads(line[6:])
        if event.get("error"):
            self.error = str(event["error"].get("message"))
        self.usage = event.get("usage") or self.usage
        for choice in event.get("choices") or []:
            delta = choice.get("delta") or {}
            text = delta.get("content") or ""
            self.calls += sum(1 for c in delta.get("tool_calls") or [] if c.get("id"))
            self.written += len(text)
            if (text or delta.get("tool_calls")) and self.first is None:
                self.first = time.monotonic()
            self.finish = choice.get("finish_reason") or self.finish


class Recorder(http.server.ThreadingHTTPServer):
    """Listens on a port of its own; on_text is called whenever the server has written a piece of an answer."""

    daemon_threads = True

    def __init__(self, upstream):
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream = urllib.parse.urlsplit(upstream).netloc
        self.exchanges, self.on_text = [], None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def settled(self, within):
        """Waits until every exchange has ended, or so many seconds."""
        until = time.monotonic() + within
        for e in list(self.exchanges):
            e.over.wait(max(0, until - time.monotonic()))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        e = Exchange(json.loads(body) if body else {})
        if body:
            self.server.exchanges.append(e)
        upstream = http.client.HTTPConnection(self.server.upstream, timeout=600)
        try:
            self.forward(upstream, body, e)
        except (BrokenPipeError, ConnectionResetError):
            e.left = True  # the bot
        except (OSError, http.client.HTTPException):
            e.broke = True  # the server
        finally:
            e.ended = time.monotonic()
            e.over.set()
            upstream.close()
            self.close_connection = True

    def forward(self, upstream, body, e):
        upstream.request(self.command, self.path, body, {"Content-Type": "application/json"})
        answer = upstream.getresponse()
        e.status = answer.status
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("Content-Type", "application/json"))
        self.send_header("Connection", "close")
        self.end_headers()
        while line := answer.readline():
            if answer.status == 200:
                e.read(line)
            else:
                e.refusal += line.decode(errors="replace")
            self.wfile.write(line)
            self.wfile.flush()
            if e.written and self.server.on_text:
                self.server.on_text()
