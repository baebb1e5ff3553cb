# Reports what happened to cheques, one JSON object a line with your own id of each message:
# API_URL=https://… API_KEY=… python3 collector.py < messages.ndjson
import json, os, sys, time, urllib.error, urllib.request

BASE = os.environ["API_URL"] + "/external/apis/v1.0/reservations/"


def ask(path, body=None, **headers):
    headers = {"api-key": os.environ["API_KEY"], "content-type": "application/json", **headers}
    request = urllib.request.Request(BASE + path, body and json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def report(message):
    """Gives what became of a message: a repetition with its key adds nothing to the history."""
    body = {name: value for name, value in message.items() if name != "id"}
    for pause in (1, 4, 16, 64):
        try:
            status, headers, text = ask("webhook", body, **{"idempotency-key": f'"{message["id"]}"'})
        except OSError as error:
            status, headers, text = 0, {}, str(error)
        if status == 201:
            return f'{headers["x-callback-reservation"]}, cheque {headers["x-callback-cheque"]}'
        is_running = headers.get("x-error-code") == "idempotency.request_running"
        if 400 <= status < 500 and status not in (408, 429) and not is_running:
            return f'{status} {headers.get("x-error-code")}'
        time.sleep(max(pause * float(os.environ.get("PAUSE", 1)), float(headers.get("retry-after") or 0)))
    return read_back(message)


def read_back(message):
    """The last resort, after a minute and a half: does the history have it?"""
    _, _, text = ask(message["reservationId"])
    wallet = json.loads(text)["data"]["chequeWallet"] or {"cheques": []}
    cheque = next((c for c in wallet["cheques"] if c["installmentId"] == message.get("installmentId")), {})
    return f'unknown, the cheque is {cheque.get("status")}: send the message again later'


for line in filter(str.strip, sys.stdin):
    message = json.loads(line)
    print(message["id"], report(message), flush=True)
