// Tests whether response times reveal how much of a guessed API key is correct, or whether the lead of a 403 exists:
// `npm run bench -- keys [--count 10000]`.
import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { Client } from 'undici';
import { newApiKey } from '../../dist/tenants/keys/api-key-policy.js';
import { idOf, recordSystemIdOf } from '../data/names.mjs';
import { exchange } from '../load/drive.mjs';
import { getRequest } from '../load/requests.mjs';
import { startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { ascending, median, printTable, quantile } from '../report.mjs';

const warmUps = 500;
/** An attacker may know these characters, which lists of keys show. */
const shownLength = 11;

export async function run({ programs, builds: [build], options }) {
  const count = Number(options.count);
  const database = await startDatabase({ programs, build });
  const { key, prefix, hash } = newApiKey();
  const keys = database.db.collection('apiKeys');
  const permissions = { allowExternal: true, operations: ['leads.write'] };
  const other = await keys.findOne({ _id: idOf('apiKey', 0) });
  await keys.insertOne({ ...other, _id: new ObjectId(), prefix, hash, permissions });
  const variables = { AUTH_FAILURE_RPS: '0', RATE_LIMIT_RPS: '0' };
  const service = await startService({ programs, build, database, variables });
  // Each wrong key is sent once, since refusing a known one costs no query.
  const guesses = {
    'nothing correct': withKey(() => `iapi_${random(key.length - 5)}`),
    'its prefix correct': withKey(
      () => key.slice(0, shownLength) + random(key.length - shownLength),
    ),
    'all but the checksum correct': withKey(
      () => key.slice(0, -8) + randomBytes(4).toString('hex'),
    ),
  };
  printTimes('of the key', await refusalTimes(service, guesses, 401, count));
  const read = (id) => () => getRequest(`/leads/${id}`, { 'api-key': key });
  const leads = {
    'a lead that does not exist': read('none'),
    'one that does': read(recordSystemIdOf(0, 7)),
  };
  printTimes('read by a website key', await refusalTimes(service, leads, 403, count));
}

function withKey(make) {
  return () => getRequest('/leads/none', { 'api-key': make() });
}

function printTimes(title, times) {
  const [usual] = Object.values(times);
  const rows = Object.entries(times).map(([kind, taken]) => {
    return [kind, median(taken), ...(taken === usual ? [] : comparison(taken, usual))];
  });
  printTable([title, 'p50 µs', 'longer by µs', '95 % from', 'to'], rows);
}

/** Returns microseconds of each refusal, by kind of request. */
async function refusalTimes({ url }, kinds, expected, count) {
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const client = new Client(url);
  for (let turn = -warmUps; turn < count; turn++) {
    for (const [kind, next] of Object.entries(kinds).toSorted(() => Math.random() - 0.5)) {
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

/** Compares only times of one turn, because other work on the machine slows all kinds of a turn. */
function comparison(taken, baseline) {
  const differences = ascending(taken.map((time, turn) => time - baseline[turn]));
  const margin = 0.98 / Math.sqrt(differences.length);
  return [0.5, 0.5 - margin, 0.5 + margin].map((part) => quantile(differences, part));
}

function random(length) {
  return randomBytes(length).toString('base64url').slice(0, length);
}
