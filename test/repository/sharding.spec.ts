import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Schema } from 'mongoose';

const folder = join(import.meta.dirname, '../../src');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.schema.ts'),
);
const modules = await Promise.all(
  files.map((path) => import(join(folder, path)) as Promise<Record<string, unknown>>),
);
const ofTenants = modules
  .flatMap((module) => Object.entries(module))
  .filter((entry): entry is [string, Schema] => entry[1] instanceof Schema)
  .filter(([, schema]) => schema.path('organizationId') !== undefined);

describe('what docs/deployment.md says of sharding by organizationId', () => {
  it.each(ofTenants)('%s: unique indexes begin with it', (name, schema) => {
    const elsewhere = schema
      .indexes()
      .filter(([fields, { unique }]) => unique && Object.keys(fields)[0] !== 'organizationId');
    // A key is looked up before its organization is known; its collection is not sharded.
    expect(elsewhere.map(([fields]) => fields)).toEqual(
      name === 'apiKeySchema' ? [{ hash: 1 }] : [],
    );
  });

  it('is about all collections of tenants', () => {
    expect(ofTenants.length).toBeGreaterThan(15);
  });
});
