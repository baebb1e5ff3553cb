// Measures whether the time of a refusal tells how much of a guessed API key is right. Wrong keys that begin like a real
// one and keys of which nothing is right are sent in turns over one connection, each of them once: a key that was
// refused before costs no query. `npm run bench:keys -- --samples 10000`
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MongoClient, ObjectId } from 'mongodb';
import { newApiKey } from '../dist/tenants/keys/api-key-format.js';
import { startMongod } from '../dist/development/embedded/embedded-mongod.js';
import { nodeFlags } from './measuring/node-flags.mjs';

const { values } = parseArgs({ options: { samples: { type: 'string', default: '10000' } } });
const samples = Number(values.samples);
const warmUp = 500;
/** Both are known of a key: what it is listed by, and how all keys begin. */
const shownLength = 11;

const { key, prefix, hash } = newApiKey();
const random = (length) => randomBytes(length).toString('base64url').slice(0, length);
const kinds = {
  'nothing right': () => `iapi_${random(key.length - 5)}`,
  'its shown prefix right': () => key.slice(0, shownLength) + random(key.length - shownLength),
  'all but the checksum right': () => key.slice(0, -8) + randomBytes(4).toString('hex'),
};

const folder = await mkdtemp(join(tmpdir(), 'integration-api-bench-'));
const mongod = await startMongod(folder, {});
const uri = mongod.uri.replace('/?', '/bench?');
const client = await new MongoClient(uri).connect();
let service;
try {
  service = await startService();
  await addKey(client.db());
  const times = await measure();
  const control = times['nothing right'];
  for (const [kind, taken] of Object.entries(times)) print(kind, taken, control);
} finally {
  service?.child.kill('SIGKILL');
  await client.close();
  await mongod.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The times of all refusals in microseconds, by how much was right. */
async function measure() {
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const socket = connect(service.port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  for (let turn = -warmUp; turn < samples; turn++) {
    for (const kind of shuffled(Object.keys(kinds))) {
      const taken = await refusal(socket, kinds[kind]());
      if (turn >= 0) times[kind].push(taken);
    }
  }
  socket.destroy();
  return times;
}

async function refusal(socket, wrongKey) {
  const request = `GET /external/apis/v1.0/leads/none HTTP/1.1\r\nHost: x\r\napi-key: ${wrongKey}\r\n\r\n`;
  const startedAt = process.hrtime.bigint();
  socket.write(request);
  const [chunk] = await once(socket, 'data');
  const taken = Number(process.hrtime.bigint() - startedAt) / 1_000;
  if (!chunk.toString().startsWith('HTTP/1.1 401 ')) throw new Error(chunk.toString());
  return taken;
}

function shuffled(items) {
  const rest = [...items];
  return items.map(() => rest.splice(randomInt(rest.length), 1)[0]);
}

/** A difference is that of one turn: what else the machine did meanwhile it did to both. */
function print(kind, taken, control) {
  const middle = quantile(taken.toSorted(byNumber), 0.5).toFixed(0);
  process.stdout.write(`${kind}: ${taken.length} refusals, median ${middle} µs\n`);
  if (taken === control) return;
  const differences = taken.map((time, turn) => time - control[turn]).toSorted(byNumber);
  const { length } = differences;
  // 95 of 100 times the true median is between these; one way as often as the other is z 0.
  const margin = 0.98 / Math.sqrt(length);
  const [low, median, high] = [0.5 - margin, 0.5, 0.5 + margin].map((part) =>
    quantile(differences, part).toFixed(1),
  );
  const longer = differences.filter((difference) => difference > 0).length;
  const z = ((2 * longer - length) / Math.sqrt(length)).toFixed(2);
  process.stdout.write(
    `  longer by ${median} µs at the median (95 %: ${low} to ${high}; z ${z})\n`,
  );
}

function byNumber(a, b) {
  return a - b;
}

function quantile(sorted, part) {
  return sorted[Math.floor(part * sorted.length)];
}

async function addKey(db) {
  const [organizationId, now] = [new ObjectId(), new Date()];
  const shared = { isDeleted: false, createdAt: now, updatedAt: now };
  const organization = { _id: organizationId, name: 'Bench', logo: '', settings: {}, ...shared };
  await db.collection('organizations').insertOne(organization);
  const permissions = { allowExternal: true };
  const ends = { revokedAt: null, expiresAt: null, lastUsedAt: null };
  const stored = { name: 'Bench', prefix, hash, permissions, ...ends, ...shared };
  await db.collection('apiKeys').insertOne({ _id: new ObjectId(), organizationId, ...stored });
}

async function startService() {
  const child = spawn(
    process.execPath,
    [...nodeFlags, join(import.meta.dirname, '../dist/main.js')],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        ROLE: 'api',
        PORT: '0',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'error',
        MONGODB_URI: uri,
        AUTH_FAILURE_RPS: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const port = /Listening on\s+http:\/\/[\d.]+:(\d+)/.exec(output)?.[1];
    if (port !== undefined) return { child, port: Number(port) };
  }
  throw new Error(`The service ended: ${output}`);
}
