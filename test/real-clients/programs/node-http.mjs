// Sends requests with `http.request` of Node: see `clients.ts`.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';

const [, , url, mode, ...wanted] = process.argv;
const agent = new Agent({ keepAlive: true });

for (const one of wanted) {
  const [key, size] = one.split(':');
  const response = await send(key, Number(size));
  const { statusCode: status, headers, socket } = response;
  const { localPort: port } = socket;
  const received = { status, errorCode: headers['x-error-code'] ?? '', port };
  const body = await json(response);
  process.stdout.write(
    `${JSON.stringify({ ...received, continued: response.isContinued, body })}\n`,
  );
}
agent.destroy();

async function send(key, size) {
  const headers = { 'api-key': key, 'content-type': 'application/json' };
  if (size === 0) return await responseTo(request(`${url}/compounds`, { agent, headers }).end());
  const body = `{"name":"${'x'.repeat(size - 11)}"}`;
  if (mode !== 'chunked') headers['content-length'] = size;
  if (mode === 'expect') headers.expect = '100-continue';
  const sent = request(`${url}/leads`, { agent, method: 'POST', headers });
  let isContinued = false;
  if (mode === 'expect') {
    sent.flushHeaders();
    sent.once('continue', () => {
      isContinued = true;
      sent.end(body);
    });
  } else if (mode === 'chunked') {
    for (let at = 0; at < size; at += 65_536) sent.write(body.slice(at, at + 65_536));
    sent.end();
  } else sent.end(body);
  return Object.assign(await responseTo(sent), { isContinued });
}

async function responseTo(sent) {
  const [response] = await once(sent, 'response');
  return response;
}
