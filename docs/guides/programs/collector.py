# Reports what happened to cheques, one JSON object a line with your own id of each message, and
# exits with 1 when a message was refused, had no effect, or had fields that were ignored:
# API_URL=https://… API_KEY=… SIGNING_SECRET=whsec_… python3 collector.py < messages.ndjson
import base64, datetime, hmac, http.client, json, os, sys, time, urllib.error, urllib.request

if not os.environ.get("API_URL") or not os.environ.get("API_KEY"):
    sys.exit("API_URL and API_KEY have to be set")
BASE = os.environ["API_URL"].rstrip("/") + "/external/apis/v1.0/reservations/"
KEY = os.environ["API_KEY"]

SECRET = os.environ.get("SIGNING_SECRET", "").removeprefix("whsec_")


def named(id, body):
    """Names a message, so that a repetition is known, and signs it with the time of this attempt."""
    if not SECRET:
        return {"idempotency-key": f'"{id}"'}
    now = str(int(time.time()))
    signature = hmac.digest(base64.b64decode(SECRET), f"{id}.{now}.".encode() + body, "sha256")
    value = "v1," + base64.b64encode(signature).decode()
    return {"webhook-id": id, "webhook-timestamp": now, "webhook-signature": value}


def ask(path, body=None, headers={}):
    """Gives status, headers and body of a response; the status is 0 if there was none."""
    headers = {"api-key": KEY, "content-type": "application/json", **headers}
    request = urllib.request.Request(BASE + path, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read(65536)
    except (OSError, http.client.HTTPException):
        return 0, {}, b""


def reasons_in(text):
    try:
        message = json.loads(text)["message"]
    except (ValueError, KeyError, TypeError):
        return text.decode(errors="replace")
    return message if isinstance(message, str) else "; ".join(message)


def report(message):
    """Gives whether a message did what it says, and what became of it: a repetition with its key adds nothing to the history."""
    begun = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    body = json.dumps({name: value for name, value in message.items() if name != "id"}).encode()
    for pause in (1, 4, 16, 64):
        status, headers, text = ask("webhook", body, named(message["id"], body))
        if status == 201:
            reservation, cheque = headers["x-callback-reservation"], headers["x-callback-cheque"]
            ignored = headers.get("x-ignored-fields")
            is_done = not ignored and "applied" in (reservation, cheque)
            return is_done, f"{reservation}, cheque {cheque}" + (f", ignored: {ignored}" if ignored else "")
        if 400 <= status < 500 and status not in (408, 409, 429):
            ignored = headers.get("x-ignored-fields")
            why = f'{status} {headers.get("x-error-code")}: {reasons_in(text)}'
            return False, why + (f", ignored: {ignored}" if ignored else "")
        time.sleep(max(pause * float(os.environ.get("PAUSE", 1)), float(headers.get("retry-after") or 0)))
    return read_back(message, begun)


def read_back(message, begun):
    """The last resort, after a minute and a half: does the cheque's history have it?"""
    status, _, text = ask(message["reservationId"])
    wallet = status == 200 and json.loads(text)["data"]["chequeWallet"] or {"cheques": []}
    for cheque in wallet["cheques"]:
        for entry in cheque["statusHistory"]:
            found = {"installmentId": cheque["installmentId"], "chequeStatus": entry["status"]}
            # An older report of the same status is another message's.
            if message.items() >= found.items() and (entry["changedAt"] or "") >= begun:
                return True, f'arrived at {entry["changedAt"]}, says the history'
    return False, "unknown: send the message again later"


exit_code = 0
for line in filter(str.strip, sys.stdin):
    message = json.loads(line)
    if not message.get("id"):
        print("no id:", line.strip(), flush=True)
        exit_code = 1
        continue
    is_done, outcome = report(message)
    print(message["id"], outcome, flush=True)
    exit_code = exit_code if is_done else 1
sys.exit(exit_code)
