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

describe('sharding by organizationId', () => {
  it.each(ofTenants)('is possible with every unique index of %s', (name, schema) => {
    const elsewhere = schema
      .indexes()
      .filter(([fields, { unique }]) => unique && Object.keys(fields)[0] !== 'organizationId');
    // A key is looked up before its organization is known; its collection is not sharded.
    expect(elsewhere.map(([fields]) => fields)).toEqual(
      name === 'apiKeySchema' ? [{ hash: 1 }] : [],
    );
  });

  it('is documented for all tenant collections', () => {
    expect(ofTenants.length).toBeGreaterThan(15);
  });
});
