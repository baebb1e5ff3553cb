"""Sends requests with Python's sockets, and waits for `100 Continue` as boto does: see `clients.ts`."""

import json
import socket
import sys
from http.client import parse_headers
from urllib.parse import urlsplit

# The mode is always `expect`.
url, _mode, *wanted = sys.argv[1:]
address = urlsplit(url)


def read_head(stream):
    _, status, _ = stream.readline().split(maxsplit=2)
    return int(status), parse_headers(stream)


for request in wanted:
    key, size = request.split(":")
    body = b'{"name":"' + b"x" * (int(size) - 11) + b'"}'
    head = (
        f"POST {address.path}/leads HTTP/1.1\r\nHost: {address.netloc}\r\napi-key: {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {size}\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        stream = connection.makefile("rb")
        connection.sendall(head.encode())
        status, headers = read_head(stream)
        continued = status == 100
        if continued:
            connection.sendall(body)
            status, headers = read_head(stream)
        received = {
            "status": status,
            "errorCode": headers.get("x-error-code", ""),
            "port": connection.getsockname()[1],
            "continued": continued,
            "body": json.loads(stream.read(int(headers["content-length"]))),
        }
    print(json.dumps(received))
