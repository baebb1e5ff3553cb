// Sends requests with `fetch` of Node, which may open a second connection at any time: see `clients.ts`.
const [, , url, mode, ...wanted] = process.argv;

for (const one of wanted) {
  const [key, size] = one.split(':');
  const response = await send(key, Number(size));
  const received = {
    status: response.status,
    errorCode: response.headers.get('x-error-code') ?? '',
    body: await response.json(),
  };
  process.stdout.write(`${JSON.stringify(received)}\n`);
}

function send(key, size) {
  const headers = { 'api-key': key, 'content-type': 'application/json' };
  if (size === 0) return fetch(`${url}/compounds`, { headers });
  const body = `{"name":"${'x'.repeat(size - 11)}"}`;
  const chunks = { body: new Blob([body]).stream(), duplex: 'half' };
  const own = mode === 'chunked' ? chunks : { body };
  return fetch(`${url}/leads`, { method: 'POST', headers, ...own });
}
