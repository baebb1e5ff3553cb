import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import { openSharedMongod } from '../../src/development/embedded/shared-mongod.js';
import { runCliProcess } from '../operator/command-line.js';

describe('a restored copy of the data folder', () => {
  let folder: string;
  let data: string;
  let copy: string;
  /** Runs with the embedded database on the folder, which stops at the end. */
  const withDatabase = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> => {
    const server = await openSharedMongod(data);
    const client = new MongoClient(server.uri);
    try {
      return await work(client);
    } finally {
      await client.close();
      await server.stop();
    }
  };
  const cli = async (...args: string[]) => {
    const outcome = await runCliProcess(args, { NODE_ENV: 'development', DATA_FOLDER: data });
    expect(outcome).toMatchObject({ code: 0 });
    return outcome.stdout;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-backup-'));
    [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('contains every document, index and validator', async () => {
    const before = await withDatabase(async (client) => {
      await cli('db', 'init');
      const { _id: id } = JSON.parse(await cli('org', 'create', '--name', 'Nile', '--json')) as {
        _id: string;
      };
      await cli('key', 'issue', '--org', id, '--name', 'Website', '--for', 'everything');
      return contentsOf(client);
    });
    expect(before['organizations']).toContain('Nile');
    await cp(data, copy, { recursive: true });
    await withDatabase((client) => client.db('integration').dropDatabase());
    expect(await withDatabase(contentsOf)).toEqual({});
    await rm(data, { recursive: true });
    await cp(copy, data, { recursive: true });
    expect(await withDatabase(contentsOf)).toEqual(before);
    await cli('db', 'status');
  });
});

/** Every document, index and option of a database, which a restore has to bring back. */
async function contentsOf(client: MongoClient): Promise<Record<string, string>> {
  const db = client.db('integration');
  const collections = await db.listCollections().toArray();
  const contents = collections.map(async ({ name, ...options }) => {
    const documents = await db.collection(name).find().sort({ _id: 1 }).toArray();
    const listed = await db.collection(name).listIndexes().toArray();
    const indexes = listed.toSorted((one, other) => (one['name'] < other['name'] ? -1 : 1));
    return [name, BSON.EJSON.stringify({ documents, indexes, options }, { relaxed: false })];
  });
  return Object.fromEntries(await Promise.all(contents)) as Record<string, string>;
}
