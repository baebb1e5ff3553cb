# Serves form.html and sends what it posts. API_URL=https://… API_KEY=… python3 website.py
import json, os, pathlib, time, urllib.error, urllib.parse, urllib.request, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

URL, KEY = os.environ["API_URL"] + "/external/apis/v1.0/leads", os.environ["API_KEY"]
THANKS = "Thank you · شكرًا لك"


def send_lead(lead, language, tries=4, pause=0.5):
    headers = {"api-key": KEY, "content-type": "application/json", "language": language}
    try:
        request = urllib.request.Request(URL, json.dumps(lead).encode(), headers)
        with urllib.request.urlopen(request, timeout=10) as response:
            # Such fields are stored nowhere: correct their names.
            if ignored := response.headers["x-ignored-fields"]:
                print("ignored", ignored, flush=True)
            return None, []
    except urllib.error.HTTPError as error:
        status, code, asked = error.code, error.headers["x-error-code"], error.headers["retry-after"]
        messages = json.load(error)["message"] if code == "validation.failed" else []
    except OSError as error:
        status, code, asked, messages = 503, repr(error), None, []
    if tries == 1 or (status < 500 and status not in (408, 409, 429)):
        return code or "failed", messages
    time.sleep(max(pause, float(asked or 0)))
    return send_lead(lead, language, tries - 1, pause * 2)


class Website(BaseHTTPRequestHandler):
    def show(self, status, kind, text):
        self.send_response(status)
        self.send_header("content-type", f"text/{kind}; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        page = "form-ar.html" if self.path == "/ar" else "form.html"
        self.show(200, "html", pathlib.Path(__file__).with_name(page).read_text("utf-8"))

    def do_POST(self):
        text = self.rfile.read(int(self.headers["content-length"])).decode()
        form = dict(urllib.parse.parse_qsl(text, keep_blank_values=True))
        # Only programs fill the hidden field; they get no hint that they were recognized.
        if form.get("website"):
            return self.show(200, "plain", THANKS)
        # The id makes retries safe, by this program and by an impatient visitor.
        lead = {"recordSystemId": form.get("submission") or str(uuid.uuid4())}
        # A field that is empty is sent as None: an empty text is not valid.
        lead |= {"name": form.get("name"), "phoneNumber": form.get("phone"), "email": form.get("email") or None}
        language = "ar-eg" if form.get("language") == "ar-eg" else "en-us"
        code, messages = send_lead(lead, language)
        # Thank a person who is already known, too: whose lead the phone belongs to does not concern the visitor.
        if code is None or code == "lead.duplicate_phone":
            return self.show(200, "plain", THANKS)
        if messages:
            return self.show(400, "plain", "\n".join(messages))
        print("not sent", code, json.dumps(lead | {"language": language}), flush=True)
        self.show(503, "plain", "Please try again later · يرجى المحاولة لاحقًا")


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Website).serve_forever()
