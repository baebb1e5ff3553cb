// Whether the time of a refusal depends on how much of a guessed API key is correct, or of a restricted key's 403 on
// whether the lead exists: `npm run bench -- keys [--count 10000]`.
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ObjectId } from 'mongodb';
import { newApiKey } from '../../dist/tenants/keys/api-key-policy.js';
import { loadData } from '../data/load.mjs';
import { idOf } from '../data/names.mjs';
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
  printTable([title, 'p50 µs', 'longer by µs', '95 % from', 'to', 'z'], rows);
}

/** Microseconds of each refusal, by kind of request. */
async function refusals({ url }, kinds, status, count) {
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  await once(socket, 'connect');
  for (let turn = -warmUps; turn < count; turn++) {
    for (const kind of shuffled(Object.keys(kinds))) {
      const bytes = kinds[kind]();
      const startedAt = process.hrtime.bigint();
      socket.write(bytes);
      const [chunk] = await once(socket, 'data');
      const taken = Number(process.hrtime.bigint() - startedAt) / 1_000;
      if (!chunk.toString().startsWith(`HTTP/1.1 ${status} `)) throw new Error(chunk.toString());
      if (turn >= 0) times[kind].push(taken);
    }
  }
  socket.destroy();
  return times;
}

/** By differences within a turn: other work of the machine disturbs all kinds of a turn. */
function comparison(taken, control) {
  const differences = ascending(taken.map((time, turn) => time - control[turn]));
  const { length } = differences;
  const margin = 0.98 / Math.sqrt(length);
  const longer = differences.filter((difference) => difference > 0).length;
  return [
    ...[0.5, 0.5 - margin, 0.5 + margin].map((part) => quantile(differences, part)),
    (2 * longer - length) / Math.sqrt(length),
  ];
}

function random(length) {
  return randomBytes(length).toString('base64url').slice(0, length);
}

function shuffled(items) {
  const rest = [...items];
  return items.map(() => rest.splice(randomInt(rest.length), 1)[0]);
}
