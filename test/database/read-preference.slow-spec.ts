import { expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { kill, send, startProcess } from '../support/service-process.js';
import { randomDatabaseUri } from '../support/test-service.js';

it('the service reads from the primary when the connection string has another read preference', async () => {
  const client = await new MongoClient(randomDatabaseUri()).connect();
  const { me, setName } = await client.db().command({ hello: 1 });
  const { databaseName } = client.db();
  // This set has no secondary, so a read that honored the preference would fail.
  const options = `replicaSet=${setName}&readPreference=secondary`;
  const service = await startProcess({ MONGODB_URI: `mongodb://${me}/${databaseName}?${options}` });
  try {
    const { key } = await addTenant(client.db());
    const lead = { recordSystemId: 'primary', data: { project: 'Lake' } };
    const writing = { method: 'POST', path: '/leads', key, body: lead };
    expect(await send(service.url, writing)).toMatchObject({ status: 201 });
    const reading = { method: 'GET', path: '/units', key };
    expect(await send(service.url, reading)).toMatchObject({ status: 200 });
  } finally {
    await kill(service);
    await client.close();
  }
});
