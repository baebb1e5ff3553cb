import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import { openSharedMongod } from '../../src/development/embedded/shared-mongod.js';
import { runCliProcess } from '../operator/command-line.js';

/** Everything of a database that a restore has to bring back. */
interface Contents {
  readonly documents: Readonly<Record<string, string>>;
  readonly indexes: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
}

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
    expect(before.documents['integration.organizations']).toContain('Nile');
    await cp(data, copy, { recursive: true });
    await withDatabase((client) => client.db('integration').dropDatabase());
    expect((await withDatabase(contentsOf)).documents).not.toHaveProperty([
      'integration.organizations',
    ]);

    await rm(data, { recursive: true });
    await cp(copy, data, { recursive: true });
    expect(await withDatabase(contentsOf)).toEqual(before);
    await cli('db', 'status');
  });
});

async function contentsOf(client: MongoClient): Promise<Contents> {
  const contents = { documents: {}, indexes: {}, options: {} } as {
    [Part in keyof Contents]: Record<string, string>;
  };
  const { databases } = await client.db('admin').admin().listDatabases();
  for (const { name } of databases.filter(
    (one) => !['admin', 'config', 'local'].includes(one.name),
  )) {
    const db = client.db(name);
    for (const info of await db.listCollections().toArray()) {
      const collection = db.collection(info.name);
      const key = `${name}.${info.name}`;
      const documents = await collection.find().sort({ _id: 1 }).toArray();
      contents.documents[key] = BSON.EJSON.stringify(documents, { relaxed: false });
      const indexes = await collection.listIndexes().toArray();
      contents.indexes[key] = BSON.EJSON.stringify(
        indexes.toSorted((one, other) => (one['name'] < other['name'] ? -1 : 1)),
      );
      contents.options[key] = BSON.EJSON.stringify('options' in info ? info.options : {});
    }
  }
  return contents;
}
