import { execFile } from 'node:child_process';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { mayReadEvents } from '../support/builders.js';
import { addDemoTenant } from '../support/demo-tenant.js';
import { sharedService } from '../support/shared-service.js';
import { report } from './support/fault-rounds.js';
import { installPythonPackages } from './support/python-packages.js';

const run = promisify(execFile);
const folder = join(import.meta.dirname, 'python-client');

// Its packages take minutes to install on a machine that has none of them.
const isLong = process.env['TEST_ROUNDS'] === 'full';
const installed = isLong
  ? await installPythonPackages(join(folder, 'requirements.txt'))
  : { reason: 'That is for the long form, TEST_ROUNDS=full.' };
if ('reason' in installed) report(`No client in Python is generated. ${installed.reason}`);
const whereItIs = 'reason' in installed ? it.skip : it;
const programs = 'reason' in installed ? '' : join(installed.folder, 'bin');

const service = sharedService();

describe('a client in Python that openapi-python-client generates from the document', () => {
  whereItIs('is complete, and carries out every operation', async () => {
    const overrides = { key: mayReadEvents };
    const { key } = await addDemoTenant(service.db, service.databaseUri, overrides);
    const work = await mkdtemp(join(tmpdir(), 'python-client-'));
    await run(join(programs, 'openapi-python-client'), [
      'generate',
      '--path=docs/openapi.json',
      `--output-path=${join(work, 'generated')}`,
      '--meta=none',
      `--config=${join(folder, 'generator.yml')}`,
      '--fail-on-warning',
    ]);
    await cp(join(folder, 'calls.py'), join(work, 'calls.py'));
    const { stdout } = await run(join(programs, 'python'), [join(work, 'calls.py')], {
      env: { ...process.env, API_URL: service.url, API_KEY: key, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(JSON.parse(stdout)).toEqual({
      upsert_lead: 201,
      upsert_leads: 200,
      read_lead: 200,
      delete_lead: 200,
      list_compounds: 200,
      list_compound_units: 200,
      upsert_unit: 201,
      list_units: 200,
      export_units: 200,
      read_unit: 200,
      upsert_reservation: 201,
      read_reservation: 200,
      report_reservation_change: 201,
      reconcile_cheques: 200,
      read_events: 200,
      check_health: 200,
    });
  });
});
