import { expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { kill, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri } from '../support/test-service.js';

it('reads from the primary when the connection string has another read preference', async () => {
  const client = await new MongoClient(randomDatabaseUri()).connect();
  const { me, setName } = await client.db().command({ hello: 1 });
  const { databaseName } = client.db();
  // The set has no secondary, so a read that honored the preference would fail.
  const options = `replicaSet=${setName}&readPreference=secondary`;
  const service = await startProcess({ MONGODB_URI: `mongodb://${me}/${databaseName}?${options}` });
  try {
    const { key } = await addTenant(client.db());
    const request = (path: string, init: RequestInit = {}) =>
      fetch(`${service.url}/${basePath}${path}`, {
        ...init,
        headers: { 'api-key': key, 'content-type': 'application/json' },
      });
    const lead = JSON.stringify({ recordSystemId: 'primary', data: { project: 'Lake' } });
    expect((await request('/leads', { method: 'POST', body: lead })).status).toBe(201);
    expect((await request('/units')).status).toBe(200);
  } finally {
    await kill(service);
    await client.close();
  }
});
