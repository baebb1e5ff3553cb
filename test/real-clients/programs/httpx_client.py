"""Sends requests with a client of Python's `httpx`: see `clients.ts`."""

import json
import sys

import httpx

url, mode, *wanted = sys.argv[1:]
client = httpx.Client(timeout=60)


def send(key, size):
    headers = {"api-key": key, "content-type": "application/json"}
    if size == 0:
        return client.stream("GET", f"{url}/compounds", headers=headers)
    body = b'{"name":"' + b"x" * (size - 11) + b'"}'
    chunks = (body[at : at + 65_536] for at in range(0, size, 65_536))
    content = chunks if mode == "chunked" else body
    return client.stream("POST", f"{url}/leads", headers=headers, content=content)


for request in wanted:
    key, size = request.split(":")
    with send(key, int(size)) as response:
        # The socket may be closed once the body is read.
        _, port = response.extensions["network_stream"].get_extra_info("client_addr")
        response.read()
    received = {
        "status": response.status_code,
        "errorCode": response.headers.get("x-error-code", ""),
        "port": port,
        "body": response.json(),
    }
    print(json.dumps(received))
