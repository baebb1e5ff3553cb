"""Sends one signed callback with the Python library of Standard Webhooks and prints the status."""

import os
import urllib.error
import urllib.request
from datetime import datetime, timezone

from standardwebhooks import Webhook

body = os.environ["BODY"]
now = datetime.now(timezone.utc)
headers = {
    "api-key": os.environ["API_KEY"],
    "content-type": "application/json",
    "webhook-id": "msg_python",
    "webhook-timestamp": str(int(now.timestamp())),
    "webhook-signature": Webhook(os.environ["SIGNING_SECRET"]).sign("msg_python", now, body),
}
url = os.environ["API_URL"] + "/external/apis/v1.0/reservations/webhook"
try:
    with urllib.request.urlopen(urllib.request.Request(url, body.encode(), headers)) as response:
        print(response.status)
except urllib.error.HTTPError as error:
    print(error.code)
