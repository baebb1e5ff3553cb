import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { Transactions } from '../../src/core/database/transactions/transactions.js';
import { startSession } from '../operator/command-line.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';
import {
  waitForDeliveries,
  findPersonalData,
  snapshotTenant,
  createEraser,
  addPersonalData,
  newPerson,
} from './personal-data.js';

const person = newPerson();
let service: WebhookService;
let tenant: TenantApi;
let restore: () => Promise<void>;

beforeAll(async () => {
  service = await startWebhookService();
  tenant = await service.addTenant();
  await addPersonalData(service, tenant, person);
  restore = await snapshotTenant(service.db, tenant);
});
afterAll(() => service.stop());

const cli = startSession(() => ({ MONGODB_URI: service.databaseUri }));
const eraseArgs = (...options: string[]) => [
  '--org',
  tenant.organizationId.toHexString(),
  ...options,
];
const remainingData = () => findPersonalData(service.db, person, tenant);
const stored = (collection: string, filter?: Document) => tenant.stored(collection, filter);

/** Simulates a process that is killed before or after one of its transactions. */
async function killAtTransaction(step: number, isAfter: boolean, work: () => Promise<unknown>) {
  const transactions = service.service.app.get(Transactions);
  const run = transactions.run.bind(transactions);
  let count = 0;
  transactions.run = async (transaction, options) => {
    // Transactions with this option belong to the relay, which runs in the same process.
    if (options?.onDuplicateKey !== undefined) return run(transaction, options);
    const isLast = count++ === step;
    if (isLast && !isAfter) throw new Error('killed');
    const result = await run(transaction, options);
    if (isLast) throw new Error('killed');
    return result;
  };
  try {
    await work();
    return false;
  } catch (error) {
    expect((error as Error).message).toContain('killed');
    return true;
  } finally {
    transactions.run = run;
  }
}

it('lead erase completes an erasure that was interrupted between any two steps', async () => {
  const { erase, resume } = await createEraser(service, tenant);
  const { counts } = await erase(person.recordSystemId, true);
  let kills = 0;
  for (let step = 0, isKilled = true; isKilled; step++) {
    for (const isAfter of [false, true]) {
      await restore();
      isKilled = await killAtTransaction(step, isAfter, () => erase(person.recordSystemId));
      if (!isKilled) break;
      kills++;
      expect(await stored('erasures')).toMatchObject([{ completedAt: null }]);
      expect(await resume()).toMatchObject({ erasures: 1, failures: [] });
      expect(await remainingData()).toEqual({});
      expect(await stored('erasures')).toMatchObject([{ completedAt: expect.any(Date), counts }]);
      expect(await stored('outboxEvents', { type: 'lead.erased' })).toHaveLength(1);
      expect(await resume()).toMatchObject({ erasures: 0, failures: [] });
    }
  }
  expect(kills).toBeGreaterThanOrEqual(8);
});

it('lead erase completes interrupted erasures first, even when it finds no lead', async () => {
  await restore();
  const { erase } = await createEraser(service, tenant);
  expect(await killAtTransaction(3, true, () => erase(person.recordSystemId))).toBe(true);
  const args = eraseArgs('--phone', person.phone, '--yes');
  expect(await cli.json('lead erase', ...args)).toMatchObject({ leadIds: [], finished: 1 });
  expect(await remainingData()).toEqual({});
});

it('lead erase reports an erasure that the database refuses, and completes the others', async () => {
  await restore();
  await service.createLead(tenant, 'refused');
  const { erase } = await createEraser(service, tenant);
  expect(await killAtTransaction(0, false, () => erase('refused'))).toBe(true);
  const [unfinished] = await stored('erasures');
  const notFinished = `This erasure could not be finished: ${String(unfinished?.['_id'])} (`;
  const [leads] = await service.db.listCollections({ name: 'leads' }).toArray();
  const { validator } = (leads as Document)['options'];
  const setRule = (rule: Document) => service.db.command({ collMod: 'leads', validator: rule });
  const eraseLead = (id: string) => cli.run('lead erase', ...eraseArgs('--lead', id));
  // The rule refuses changes of this lead but accepts its current state.
  const frozen = { $or: [{ recordSystemId: { $ne: 'refused' } }, { 'data.source': 'form' }] };
  await setRule({ $and: [validator, frozen] });
  try {
    const { code, stderr, stdout } = await eraseLead(person.recordSystemId);
    expect([code, stdout]).toEqual([1, expect.stringContaining('Removed from:')]);
    expect(stderr).toContain(notFinished);
    expect(await remainingData()).toEqual({});
    for (const id of ['nobody', 'refused']) {
      expect(await eraseLead(id)).toMatchObject({ code: 1, stderr });
    }
    const again = await cli.run('db reapply-erasures');
    const done = expect.stringContaining('Erasures repeated: 1.');
    expect(again).toEqual({ code: 1, stdout: done, stderr: expect.stringContaining(notFinished) });
  } finally {
    await setRule(validator);
  }
  const args = eraseArgs('--lead', person.recordSystemId, '--yes');
  expect(await cli.json('lead erase', ...args)).toMatchObject({ finished: 1 });
});

it('db reapply-erasures removes restored personal data again', async () => {
  await restore();
  const { erase } = await createEraser(service, tenant);
  const { counts } = await erase(person.recordSystemId);
  await waitForDeliveries(service.db, tenant);
  const folder = await mkdtemp(join(tmpdir(), 'erasures-'));
  const ledger = join(folder, 'erasures.json');
  try {
    const { stdout } = await cli.run('db erasures --json');
    await writeFile(ledger, stdout);
    for (const value of [...person.values, ...person.digits]) expect(stdout).not.toContain(value);
    await restore();
    expect(Object.keys(await remainingData())).not.toEqual([]);
    expect(await stored('erasures')).toEqual([]);
    const report = await cli.json('db reapply-erasures --ledger', ledger);
    expect(report).toMatchObject({ erasures: 1, counts });
    expect(await remainingData()).toEqual({});
    expect(await stored('outboxEvents', { type: 'lead.erased' })).toHaveLength(1);
    const noneLeft = Object.fromEntries(Object.keys(counts).map((kind) => [kind, 0]));
    const again = { erasures: 1, counts: noneLeft };
    expect(await cli.json('db reapply-erasures')).toMatchObject(again);
    for (const wrong of ['{}', `\n> integration-api@1.0.0 cli\n\n${stdout}`]) {
      await writeFile(ledger, wrong);
      const { code, stderr } = await cli.run('db reapply-erasures --ledger', ledger);
      const reason = 'is not the output of db erasures --json. Remove the lines of npm';
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${ledger} ${reason}`)]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
