"""Sends requests with a client of Python's `httpx`: see `clients.ts`."""

import json
import sys

import httpx

url, mode, *wanted = sys.argv[1:]
client = httpx.Client(timeout=60)


def send(key, size):
    headers = {"api-key": key, "content-type": "application/json"}
    if size == 0:
        return client.get(f"{url}/compounds", headers=headers)
    body = b'{"name":"' + b"x" * (size - 11) + b'"}'
    chunks = (body[at : at + 65_536] for at in range(0, size, 65_536))
    content = chunks if mode == "chunked" else body
    return client.post(f"{url}/leads", headers=headers, content=content)


for request in wanted:
    key, size = request.split(":")
    response = send(key, int(size))
    _, port = response.extensions["network_stream"].get_extra_info("client_addr")
    received = {
        "status": response.status_code,
        "errorCode": response.headers.get("x-error-code", ""),
        "port": port,
        "body": response.json(),
    }
    print(json.dumps(received))
