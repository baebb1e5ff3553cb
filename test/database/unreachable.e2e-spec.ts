import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { isDatabaseUnavailable } from '../../src/core/database/connection/database-errors.js';
import { startTcpProxy } from '../faults/support/tcp-proxy.js';
import { randomDatabaseUri } from '../support/test-service.js';

describe('a write to a server that has become unreachable', () => {
  let client: MongoClient;
  beforeAll(async () => {
    // The database also listens on TCP; the name of its socket file contains the port number.
    const port = Number(/mongodb-(\d+)\.sock/.exec(randomDatabaseUri())?.[1]);
    const proxy = await startTcpProxy(port);
    const uri = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
    client = await new MongoClient(uri, { serverSelectionTimeoutMS: 1_000 }).connect();
    await client.db('unreachable').command({ ping: 1 });
    proxy.stop();
    await client
      .db('unreachable')
      .command({ ping: 1 })
      .catch(() => undefined);
  });
  afterAll(() => client.close());

  it.each([
    ['one document', () => collection().insertOne({})],
    ['several documents', () => collection().insertMany([{}, {}])],
    ['a bulk write', () => collection().bulkWrite([{ deleteOne: { filter: {} } }])],
  ])('refuses with a database-unavailable error: %s', async (_, write) => {
    const error: unknown = await write().catch((reason: unknown) => reason);
    expect([error, isDatabaseUnavailable(error)]).toEqual([expect.any(Error), true]);
  });

  const collection = () => client.db('unreachable').collection('unreachable');
});
