import type { Db } from 'mongodb';
import { runCli } from '../operator/command-line.js';
import { addTenant, type Tenant, type TenantOverrides } from './builders.js';

/** Adds an organization with the demo catalogue, whose records the examples of the reference name. */
export async function addDemoTenant(
  db: Db,
  databaseUri: string,
  overrides: TenantOverrides = {},
): Promise<Tenant> {
  const tenant = await addTenant(db, overrides);
  const organization = ['--org', tenant.organizationId.toHexString()];
  const file = `${process.cwd()}/src/development/demo/catalogue.ndjson`;
  const { code, stderr } = await runCli(['catalog', 'import', file, ...organization], {
    MONGODB_URI: databaseUri,
  });
  if (code !== 0) throw new Error(`The demo catalogue was not imported: ${stderr}`);
  return tenant;
}
