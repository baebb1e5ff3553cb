"""Sends requests with a session of Python's `requests`: see `clients.ts`."""

import json
import sys

import requests

url, mode, *wanted = sys.argv[1:]
session = requests.Session()


def send(key, size):
    headers = {"api-key": key, "content-type": "application/json"}
    if size == 0:
        return session.get(f"{url}/compounds", headers=headers, stream=True)
    body = b'{"name":"' + b"x" * (size - 11) + b'"}'
    chunks = (body[at : at + 65_536] for at in range(0, size, 65_536))
    data = chunks if mode == "chunked" else body
    return session.post(f"{url}/leads", headers=headers, data=data, stream=True)


for request in wanted:
    key, size = request.split(":")
    response = send(key, int(size))
    # The socket is only visible before the body is read.
    _, port = response.raw._fp.fp.raw._sock.getsockname()
    received = {
        "status": response.status_code,
        "errorCode": response.headers.get("x-error-code", ""),
        "port": port,
        "body": response.json(),
    }
    print(json.dumps(received))
