# Signs a report about a cheque and sends it; without SIGNING_SECRET it sends the report unsigned.
# API_URL=https://… API_KEY=… SIGNING_SECRET=whsec_… python3 sign-callback.py RESERVATION INSTALLMENT STATUS
import base64, hmac, json, os, sys, time, urllib.error, urllib.request, uuid

URL = os.environ["API_URL"] + "/external/apis/v1.0/reservations/webhook"
body = json.dumps(dict(zip(("reservationId", "installmentId", "chequeStatus"), sys.argv[1:4]))).encode()
headers = {"api-key": os.environ["API_KEY"], "content-type": "application/json"}
if os.environ.get("SIGNING_SECRET"):
    # These five lines sign. A retry keeps the id, but signs again with the time of its attempt.
    id, timestamp = str(uuid.uuid4()), str(int(time.time()))
    secret = base64.b64decode(os.environ["SIGNING_SECRET"].removeprefix("whsec_"))
    digest = hmac.digest(secret, f"{id}.{timestamp}.".encode() + body, "sha256")
    signature = "v1," + base64.b64encode(digest).decode()
    headers |= {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}
try:
    with urllib.request.urlopen(urllib.request.Request(URL, body, headers), timeout=20) as response:
        of = response.headers
        print(response.status, f'reservation {of["x-callback-reservation"]}, cheque {of["x-callback-cheque"]}')
except urllib.error.HTTPError as error:
    print(error.code, error.headers["x-error-code"], error.read().decode())
    sys.exit(1)
