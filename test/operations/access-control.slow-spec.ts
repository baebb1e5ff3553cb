import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { parse } from 'yaml';
import { findMongodBinary } from '../../src/development/embedded/mongod-binary.js';
import { fixedPort } from '../faults/support/ports.js';
import { report } from '../faults/support/random.js';
import { eventually } from '../support/eventually.js';
import { findMongosh } from '../support/mongosh.js';
import { startReceiver } from '../support/receiver.js';
import { send, startProcess } from '../support/service-process.js';

const compose = parse(readFileSync('ops/compose/compose.yaml', 'utf8'), { merge: true });
const mongosh = await findMongosh();
const describeIfInstalled = mongosh === undefined ? describe.skip : describe;
const isInstalled = (name: string) => spawnSync(name, ['--version']).status === 0;
const hasTools = isInstalled('mongodump') && isInstalled('mongorestore');
if (!hasTools) report('Skipped: mongodump and mongorestore are not on PATH.');

const folder = mkdtempSync(join(tmpdir(), 'integration-api-access-'));
const secrets = join(folder, 'secrets');
const secret = (name: string) => readFileSync(join(secrets, name), 'utf8').trim();
const uriOf = (name: string) => secret(name).replace(/^uri: /, '');
const ports = [await fixedPort(), await fixedPort(), await fixedPort()];
const servers: ChildProcess[] = [];
const receiver = await startReceiver();
let admin: MongoClient;

afterAll(async () => {
  await Promise.all([receiver.stop(), mongosh && admin.close()]);
  for (const server of servers) server.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

interface Result {
  readonly code: number;
  readonly output: string;
}

function run(command: readonly string[], env: Record<string, string>): Promise<Result> {
  const [program = '', ...args] = command;
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    execFile(program, args, { env: { PATH, HOME, ...env } }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : Number(error !== null);
      resolve({ code, output: stdout + stderr });
    });
  });
}

/** Uses the program and the hosts of ops/compose, with the ports of this test. */
function createSecrets(): void {
  cpSync('ops/compose/create-secrets.sh', join(folder, 'create-secrets.sh'));
  const { status, stderr } = spawnSync('sh', [join(folder, 'create-secrets.sh')]);
  expect([status, String(stderr)]).toEqual([0, '']);
  for (const file of globSync(join(secrets, 'mongodb-*[-.]{uri,yaml}'))) {
    const text = readFileSync(file, 'utf8');
    const local = text.replaceAll(/mongodb-(\d):27017/g, (_, member: string) => {
      return `127.0.0.1:${ports[Number(member) - 1]}`;
    });
    writeFileSync(file, local);
  }
}

/** Starts a member with the arguments of ops/compose. */
async function startMember(port: number): Promise<void> {
  const given = compose.services['mongodb-1'].command as readonly string[];
  const key = join(folder, 'mongodb-key');
  const args = given
    .slice(1)
    .filter((argument) => argument !== '--bind_ip_all')
    .map((argument) => argument.replace(/^\$\{.+\}$/, '0.25').replace('/tmp/mongodb-key', key));
  const data = join(folder, String(port));
  mkdirSync(data);
  const own = ['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', data, '--quiet'];
  const { path } = await findMongodBinary();
  servers.push(spawn(path, [...args, ...own, '--unixSocketPrefix', folder], { stdio: 'ignore' }));
  await eventually(() => ping(port));
}

async function ping(port: number): Promise<void> {
  const options = { serverSelectionTimeoutMS: 1_000, directConnection: true };
  await using client = new MongoClient(`mongodb://127.0.0.1:${port}/`, options);
  await client.db('admin').command({ hello: 1 });
}

/** Runs the program of the service `users` with its variables. */
function createUsers(path = secrets, port = ports[0]): Promise<Result> {
  const given = compose.services.users.environment as Readonly<Record<string, string>>;
  const variables = Object.entries(given).map(([name, file]) => [
    name,
    file.replace('/run/secrets', path),
  ]);
  return run(
    [...(mongosh ?? []), '--quiet', '--port', String(port), 'ops/mongodb/users.js'],
    Object.fromEntries(variables),
  );
}

const production = (name: string) => ({
  NODE_ENV: 'production',
  MONGODB_URI_FILE: join(secrets, name),
  ENCRYPTION_KEYS_FILE: join(secrets, 'encryption-keys'),
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
});
const cli = (name: string, ...args: string[]) =>
  run([process.execPath, 'dist/cli.js', ...args], production(name));
const asJson = async (...args: string[]) => {
  const { code, output } = await cli('mongodb-service-uri', ...args, '--json');
  expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  return JSON.parse(output) as Record<string, string>;
};

describeIfInstalled('MongoDB with access control', () => {
  beforeAll(async () => {
    createSecrets();
    cpSync(join(secrets, 'mongodb-key'), join(folder, 'mongodb-key'));
    chmodSync(join(folder, 'mongodb-key'), 0o400);
    await Promise.all(ports.map(startMember));
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(', ');
    expect(await createUsers()).toEqual({
      code: 0,
      output: [
        `Initiated the replica set with ${hosts}.`,
        ...['admin', 'service', 'database', 'backup'].map((user) => `Created the user ${user}.`),
        '',
      ].join('\n'),
    });
    admin = await new MongoClient(uriOf('mongodb-admin.yaml')).connect();
  });

  it('lets each member become the primary', async () => {
    const { config } = await admin.db('admin').command({ replSetGetConfig: 1 });
    const priorities = config.members.map(({ priority }: { priority: number }) => priority);
    expect(priorities).toEqual([1, 1, 1]);
  });

  it('gives each user the least rights', async () => {
    const { users } = await admin.db('admin').command({ usersInfo: 1 });
    const roles = (users as { user: string; roles: { role: string; db: string }[] }[]).map(
      ({ user, roles: own }) => [user, own.map(({ role, db }) => `${role}@${db}`).toSorted()],
    );
    expect(Object.fromEntries(roles)).toEqual({
      admin: ['root@admin'],
      backup: ['backup@admin'],
      database: ['dbAdmin@integration', 'readWrite@integration'],
      service: ['readWrite@integration'],
    });
  });

  it('refuses clients without a password', async () => {
    const anonymous = uriOf('mongodb-service-uri').replace(/\/\/.*@/, '//');
    await using client = new MongoClient(anonymous);
    await expect(client.db().collection('leads').findOne()).rejects.toMatchObject({ code: 13 });
  });

  it('prepares the database as one user, then serves and delivers as the other', async () => {
    expect(await cli('mongodb-database-uri', 'db', 'init')).toMatchObject({ code: 0 });
    await asJson('org', 'create', '--name', 'Nile', '--phone-country', 'EG');
    const forKey = ['--org', 'Nile', '--name', 'Website', '--for', 'website'];
    const { key = '' } = await asJson('key', 'issue', ...forKey);
    const endpoint = ['--org', 'Nile', '--url', receiver.url, '--events', 'lead.created'];
    await asJson('webhook', 'add', ...endpoint);
    const variables = { ...production('mongodb-service-uri'), LOG_LEVEL: 'info', OPS_PORT: '0' };
    const service = await startProcess(variables);
    const body = { name: 'Mona', phones: [{ phone: '+201001234567' }] };
    const { status } = await send(service.url, { method: 'POST', path: '/leads', key, body });
    expect(status).toBe(201);
    const [delivery] = await receiver.receivedRequests(1);
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({ type: 'lead.created' });
    service.process.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(service.output()).not.toContain('not authorized');
  });

  it('lets only the second user change an existing collection', async () => {
    const db = admin.db('integration');
    await db.command({ collMod: 'leads', validator: {} });
    const { code, output } = await cli('mongodb-service-uri', 'db', 'init');
    expect([code, output]).toEqual([1, expect.stringContaining('not authorized on integration')]);
    expect(await cli('mongodb-database-uri', 'db', 'init')).toMatchObject({ code: 0 });
    expect(await cli('mongodb-service-uri', 'db', 'status')).toMatchObject({ code: 0 });
  });

  it('changes passwords when the script runs again', async () => {
    const file = join(secrets, 'mongodb-service-uri');
    writeFileSync(file, secret('mongodb-service-uri').replace(/:[^:@]+@/, ':changed%2F@'));
    expect(await cli('mongodb-service-uri', 'db', 'status')).toMatchObject({ code: 1 });
    const { code, output } = await createUsers();
    expect([code, output]).toEqual([0, expect.stringContaining('Updated the user service.')]);
    expect(await cli('mongodb-service-uri', 'db', 'status')).toMatchObject({ code: 0 });
  });

  it('reports a wrong password of the administrator', async () => {
    const file = join(secrets, 'mongodb-admin.yaml');
    const before = secret('mongodb-admin.yaml');
    writeFileSync(file, before.replace(/:[^:@]+@/, ':wrong@'));
    const { code, output } = await createUsers();
    writeFileSync(file, before);
    expect([code, output]).toEqual([1, expect.stringContaining('refuses user or password')]);
  });

  const itIfInstalled = hasTools ? it : it.skip;
  const backups = join(folder, 'backups');
  const isWritten = 'writtenDuringBackup';

  /** Counts documents by collection, without that of the writes during the backup. */
  async function counts(client: MongoClient) {
    const db = client.db('integration');
    const names = (await db.listCollections().toArray()).map(({ name }) => name).toSorted();
    const kept = names.filter((name) => name !== isWritten);
    const count = async (name: string) => [name, await db.collection(name).countDocuments()];
    return Object.fromEntries(await Promise.all(kept.map(count)));
  }

  /** The backup contains an oplog only if something is written meanwhile. */
  async function takeBackup(): Promise<Result> {
    const finished = new AbortController();
    const writing = (async () => {
      while (!finished.signal.aborted) {
        await admin.db('integration').collection(isWritten).insertOne({});
      }
    })();
    const result = await run(['sh', 'ops/mongodb/backup.sh'], {
      BACKUP_CONFIG: join(secrets, 'mongodb-backup.yaml'),
      BACKUP_FOLDER: backups,
      BACKUP_KEEP_DAYS: '14',
    });
    finished.abort();
    await writing;
    return result;
  }

  async function expectRestored(path: string): Promise<void> {
    const [file = ''] = globSync(join(backups, '*'));
    const restore = { RESTORE_CONFIG: join(path, 'mongodb-admin.yaml') };
    const { code, output } = await run(['sh', 'ops/mongodb/restore.sh', file], restore);
    expect([code, output]).toEqual([0, expect.stringContaining(`Restored ${file}\n`)]);
  }

  itIfInstalled('restores what the backup contains', async () => {
    const db = admin.db('integration');
    const before = await counts(admin);
    const leads = await db.collection('leads').find().toArray();
    mkdirSync(backups);
    const { code, output } = await takeBackup();
    expect([code, output]).toEqual([0, expect.stringMatching(/^Stored \S+\n/)]);
    const [file = ''] = globSync(join(backups, '*'));
    expect(statSync(file).mode % 0o1000).toBe(0o600);
    await db.dropDatabase();
    await expectRestored(secrets);
    expect(await counts(admin)).toEqual(before);
    expect(await db.collection('leads').find().toArray()).toEqual(leads);
    expect(before['leads']).toBe(1);
    expect(await cli('mongodb-service-uri', 'db', 'status')).toMatchObject({ code: 0 });
  });

  itIfInstalled('restores into a new server that has the same secrets', async () => {
    const port = await fixedPort();
    await startMember(port);
    const copies = join(folder, 'copies');
    mkdirSync(copies);
    for (const file of globSync('mongodb-*[-.]{uri,yaml}', { cwd: secrets })) {
      const text = readFileSync(join(secrets, file), 'utf8');
      writeFileSync(join(copies, file), text.replace(/127[\d.:,]+/, `127.0.0.1:${port}`));
    }
    expect(await createUsers(copies, port)).toMatchObject({ code: 0 });
    await expectRestored(copies);
    const uri = readFileSync(join(copies, 'mongodb-admin.yaml'), 'utf8').replace(/^uri: /, '');
    await using restored = await new MongoClient(uri.trim()).connect();
    expect(await counts(restored)).toEqual(await counts(admin));
    const { users } = await restored.db('admin').command({ usersInfo: 1 });
    expect(users).toHaveLength(4);
  });
});
