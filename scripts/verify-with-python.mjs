// Has a real webhook verified by the PyPI package `standardwebhooks`, a client that was not written
// here: starts the service, subscribes a receiver in Python to it, posts a lead and waits for the
// receiver's verdict. Needs python3 with pip and a built `dist`; run it with
// `npm run build && node scripts/verify-with-python.mjs`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'verify-with-python-'));
const root = join(import.meta.dirname, '..');
const packages = join(folder, 'python');
const environment = {
  ...process.env,
  NODE_ENV: 'test',
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  DATA_FOLDER: join(folder, 'data'),
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
};
const receiver = `
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from standardwebhooks import Webhook

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = Webhook(sys.stdin.readline().strip()).verify(body, dict(self.headers))
            print("verified", event["type"], flush=True)
        except Exception as error:
            print("rejected", repr(error), flush=True)
        try:
            Webhook("whsec_" + "A" * 32).verify(body, dict(self.headers))
            print("WRONG SECRET PASSED", flush=True)
        except Exception as error:
            print("with a wrong secret:", type(error).__name__, flush=True)
        self.send_response(204)
        self.end_headers()
    def log_message(self, *args):
        pass

server = HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.handle_request()
`;

execFileSync(
  'python3',
  ['-m', 'pip', 'install', '--quiet', '--target', packages, 'standardwebhooks'],
  {
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
const service = spawn(process.execPath, [join(root, 'dist/main.js')], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const python = spawn('python3', ['-c', receiver], {
  env: { ...process.env, PYTHONPATH: packages },
  stdio: ['pipe', 'pipe', 'inherit'],
});
try {
  const url = await find(service.stdout, /Listening on\s+(\S+)/);
  const port = await find(python.stdout, /^(\d+)$/m);
  const { _id: org } = cli('org', 'create', '--name', 'Python');
  const { key } = cli('key', 'issue', '--org', org, '--name', 'Python');
  const hook = `http://127.0.0.1:${port}/`;
  const { secret } = cli('webhook', 'add', '--org', org, '--url', hook, '--events', 'lead.*');
  python.stdin.write(`${secret}\n`);
  const body = JSON.stringify({ recordSystemId: 'python-1', data: { name: 'منى', price: 1.5e21 } });
  const headers = { 'api-key': key, 'content-type': 'application/json' };
  await fetch(`${url}/leads`, { method: 'POST', headers, body });
  const [verdict, wrong] = (await text(python)).trim().split('\n').slice(-2);
  process.stdout.write(`${verdict}\n${wrong}\n`);
  const isRight = verdict === 'verified lead.created' && wrong.startsWith('with a wrong secret:');
  process.exitCode = isRight ? 0 : 1;
} finally {
  python.kill();
  service.kill('SIGTERM');
  await once(service, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

function cli(...args) {
  const output = execFileSync(process.execPath, [join(root, 'dist/cli.js'), ...args, '--json'], {
    env: environment,
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

async function find(stream, pattern) {
  let seen = '';
  for await (const [chunk] of chunksOf(stream)) {
    seen += chunk;
    const found = pattern.exec(seen)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`It ended after: ${seen}`);
}

async function* chunksOf(stream) {
  for (;;) yield await once(stream, 'data');
}

async function text(child) {
  let seen = '';
  child.stdout.on('data', (chunk) => (seen += chunk));
  await once(child, 'close');
  return seen;
}
