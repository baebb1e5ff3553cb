// Whether the time of a refusal depends on how much of a guessed API key is correct, or of a restricted key's 403 on
// whether the lead exists: `npm run bench -- keys [--count 10000]`.
import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { Client } from 'undici';
import { newApiKey } from '../../dist/tenants/keys/api-key-policy.js';
import { loadData } from '../data/load.mjs';
import { idOf } from '../data/names.mjs';
import { exchange } from '../load/drive.mjs';
import { getRequest } from '../load/requests.mjs';
import { startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { ascending, median, printTable, quantile } from '../report.mjs';

const warmUps = 500;
/** Both are known of a key: its listed beginning, and how all keys begin. */
const shownLength = 11;

export async function run({ programs, builds: [build], options }) {
  const { key, prefix, hash } = newApiKey();
  // Each wrong key is sent once, since the refusal of a known one costs no query.
  const guesses = {
    'nothing correct': () => `iapi_${random(key.length - 5)}`,
    'its prefix correct': () => key.slice(0, shownLength) + random(key.length - shownLength),
    'all but the checksum correct': () => key.slice(0, -8) + randomBytes(4).toString('hex'),
  };
  const database = await startDatabase({ programs, build }, { name: 'usual', load: loadData });
  const keys = database.db.collection('apiKeys');
  const { organizationId } = await keys.findOneAndUpdate(
    { _id: idOf('apiKey', 0) },
    { $set: { prefix, hash } },
  );
  const website = newApiKey();
  await keys.insertOne({
    ...(await keys.findOne({ _id: idOf('apiKey', 0) })),
    _id: new ObjectId(),
    prefix: website.prefix,
    hash: website.hash,
    permissions: { allowExternal: true, operations: ['leads.write'] },
  });
  const lead = { organizationId, isDeleted: false, recordSystemId: { $type: 'string' } };
  const { recordSystemId } = await database.db.collection('leads').findOne(lead);
  const variables = { AUTH_FAILURE_RPS: '0', RATE_LIMIT_RPS: '0' };
  const context = { build, database, folder: programs.folder };
  const service = await programs.add(startService(context, { variables }));
  const count = Number(options.count);
  const read = (id) => () =>
    getRequest(`/leads/${encodeURIComponent(id)}`, { 'api-key': website.key });
  const requests = Object.entries(guesses).map(([name, next]) => [
    name,
    () => getRequest('/leads/none', { 'api-key': next() }),
  ]);
  print('of the key', await refusals(service, Object.fromEntries(requests), 401, count));
  const leads = {
    'a lead that does not exist': read('none'),
    'one that does': read(recordSystemId),
  };
  print('read by a website key', await refusals(service, leads, 403, count));
}

function print(title, times) {
  const [[control, usual], ...others] = Object.entries(times);
  const rows = [
    [control, median(usual)],
    ...others.map(([kind, taken]) => [kind, median(taken), ...comparison(taken, usual)]),
  ];
  printTable([title, 'p50 µs', 'longer by µs', '95 % from', 'to'], rows);
}

/** Microseconds of each refusal, by kind of request. */
async function refusals({ url }, kinds, expected, count) {
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const client = new Client(url);
  for (let turn = -warmUps; turn < count; turn++) {
    const order = Object.entries(kinds).toSorted(() => Math.random() - 0.5);
    for (const [kind, next] of order) {
      const request = next();
      const startedAt = performance.now();
      const { status } = await exchange(client, request);
      const taken = (performance.now() - startedAt) * 1_000;
      if (status !== expected) throw new Error(`${kind}: ${status}`);
      if (turn >= 0) times[kind].push(taken);
    }
  }
  await client.close();
  return times;
}

/** By differences within a turn: other work of the machine disturbs all kinds of a turn. */
function comparison(taken, control) {
  const differences = ascending(taken.map((time, turn) => time - control[turn]));
  const margin = 0.98 / Math.sqrt(differences.length);
  return [0.5, 0.5 - margin, 0.5 + margin].map((part) => quantile(differences, part));
}

function random(length) {
  return randomBytes(length).toString('base64url').slice(0, length);
}
