import { type Db, ObjectId } from 'mongodb';
import type { KeyPurpose } from '../../src/tenants/keys/operations.js';
import { runJson } from '../operator/command-line.js';
import { addKey, type Tenant, type TenantOverrides } from './builders.js';

export interface SandboxJson {
  readonly _id: string;
  readonly keys: Readonly<Record<KeyPurpose, string>>;
  readonly signedCollector: { readonly key: string; readonly signingSecret: string };
  /** Ids by external id, such as `sandbox-reservation-pending`. */
  readonly reservations: Readonly<Record<string, string>>;
}

export type DemoTenant = Tenant & Omit<SandboxJson, '_id'>;

/** Adds a sandbox, whose records the examples of the reference and the programs of the guides name. */
export async function addDemoTenant(
  db: Db,
  databaseUri: string,
  { settings, apiDomain = 'api.example.com', key = {} }: TenantOverrides = {},
): Promise<DemoTenant> {
  const { _id, ...sandbox } = await runJson<SandboxJson>(
    ['org', 'sandbox', '--name', 'Nile Homes', '--url', `https://${apiDomain}`],
    { MONGODB_URI: databaseUri },
  );
  const organizationId = new ObjectId(_id);
  if (settings !== undefined) {
    await db.collection('organizations').updateOne({ _id: organizationId }, { $set: { settings } });
  }
  return { organizationId, key: await addKey(db, organizationId, key), ...sandbox };
}
