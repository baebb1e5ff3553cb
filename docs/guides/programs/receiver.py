# Receives webhooks without any library. WEBHOOK_SECRET=whsec_… python3 receiver.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
handled = set()  # In your database: it has to outlive the process.


def is_genuine(headers, body):
    ident, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not ident or not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False
    digest = hmac.new(KEY, f"{ident}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        genuine = is_genuine(self.headers, body)
        ident = self.headers.get("webhook-id")
        if genuine and ident not in handled:
            event = json.loads(body)
            # Put it into a queue here, and respond at once.
            print(event["type"], event["data"].get("_id", ""), flush=True)
            handled.add(ident)
        self.send_response(204 if genuine else 401)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
