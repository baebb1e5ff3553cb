import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { getModelToken } from '@nestjs/mongoose';
import { writeAll } from '../../src/core/database/models/bulk-writes.js';
import type { TenantModel } from '../../src/core/database/models/tenant-model.js';
import { afterTransaction } from '../../src/core/database/transactions/sessions.js';
import { DatabaseUnavailableError } from '../../src/core/database/connection/database-errors.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { Transactions } from '../../src/core/database/transactions/transactions.js';
import type { UserDocument } from '../../src/tenants/organizations/users.repository.js';
import { valueIn } from '../operations/metrics-text.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let transactions: Transactions;
let users: TenantModel<UserDocument>;

beforeAll(async () => {
  service = await startTestService({ DATABASE_DEADLINE_MS: '30000' });
  const { app } = service.service;
  transactions = app.get(Transactions);
  users = app.get<TenantModel<UserDocument>>(getModelToken('User'));
});
afterAll(() => service.stop());

const user = (organizationId = new ObjectId(), name = 'Mona'): UserDocument => ({
  _id: new ObjectId(),
  organizationId,
  name,
  createdAt: new Date(),
  updatedAt: new Date(),
});
const committed = (organizationId: ObjectId) =>
  service.db.collection('users').countDocuments({ organizationId });

describe('a transaction', () => {
  it('is visible only after its commit', async () => {
    const organizationId = new ObjectId();
    const seen = await transactions.run(async () => {
      await users.insertMany([user(organizationId)], { lean: true });
      await writeAll(users, organizationId, [{ insert: user(organizationId) }]);
      const inside = (await users.find({ organizationId }).lean()).length;
      return [
        inside,
        await users.countDocuments({ organizationId }),
        await committed(organizationId),
      ];
    });
    expect(seen).toEqual([2, 2, 0]);
    expect(await committed(organizationId)).toBe(2);
  });

  it('runs its after-commit callback once', async () => {
    const organizationId = new ObjectId();
    const counts: Promise<number>[] = [];
    const callback = () => counts.push(committed(organizationId));
    await transactions.run(async () => {
      for (let publication = 0; publication < 20; publication++) afterTransaction(callback);
      await users.insertMany([user(organizationId)], { lean: true });
      expect(counts).toEqual([]);
    });
    expect(await Promise.all(counts)).toEqual([1]);
    afterTransaction(callback);
    expect(counts).toHaveLength(2);
  });

  it('stores nothing and throws the error of its work', async () => {
    const organizationId = new ObjectId();
    const failure = new Error('failed');
    const run = transactions.run(async () => {
      await users.insertMany([user(organizationId)], { lean: true });
      await writeAll(users, organizationId, [{ insert: user(organizationId) }]);
      throw failure;
    });
    await expect(run).rejects.toBe(failure);
    expect(await committed(organizationId)).toBe(0);
  });

  it('refuses another transaction inside', async () => {
    const nested = transactions.run(() => transactions.run(async () => undefined));
    await expect(nested).rejects.toThrow('A transaction is already open.');
  });

  it('waits for earlier ones about the same record, also failed ones, within its deadline', async () => {
    const log: string[] = [];
    const { promise: end, resolve: endFirst } = Promise.withResolvers<void>();
    const [organizationId, other] = [new ObjectId(), new ObjectId()];
    const run = (name: string, of = organizationId, expiresAt?: number) => {
      const work = async () => {
        log.push(name);
        if (name === 'first') await end;
        if (name === 'failed') throw new Error('failed');
        return name;
      };
      return transactions.run(work, { oneAtATime: { organizationId: of, record: 'a' }, expiresAt });
    };
    const waiting = () => valueIn(service.service.app.get(Metrics), 'transactions_waiting');
    const first = run('first');
    // Its deadline has passed when its turn comes.
    const late = run('late', organizationId, Date.now());
    const failed = run('failed');
    const last = run('last');
    const outcomes = Promise.allSettled([first, late, failed, last]);
    expect(await run('other', other)).toBe('other');
    expect(await waiting()).toBe(3);
    endFirst();
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    await expect(late).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(log).toEqual(['first', 'other', 'failed', 'last']);
    expect(await waiting()).toBe(0);
  });
});

describe('a transaction lock', () => {
  it('conflicts when it is taken twice within one millisecond', async () => {
    const organizationId = new ObjectId();
    const now = new Date();
    const take = () => transactions.lock(organizationId, ['phone:1'], now);
    await transactions.run(take);
    const [taken, tried] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = transactions.run(async () => {
      await take();
      taken.resolve();
      await tried.promise;
    });
    await taken.promise;
    let attempts = 0;
    const second = transactions.run(async () => {
      attempts++;
      await take().finally(tried.resolve);
    });
    await Promise.all([first, second]);
    expect(attempts).toBeGreaterThan(1);
  });
});

describe('a model of tenant data', () => {
  it('refuses misspelled fields and operators at compile time', async () => {
    const { organizationId } = user();
    // @ts-expect-error `isDelted` is not a field
    expect(await users.find({ organizationId, isDelted: false }).lean()).toEqual([]);
    // @ts-expect-error `$inn` is not an operator
    const misspelled = users.find({ organizationId, name: { $inn: [] } }).lean();
    await expect(misspelled).rejects.toThrow('$inn');
    // @ts-expect-error a name is not a number
    expect(await users.countDocuments({ organizationId, name: 1 })).toBe(0);
    // @ts-expect-error the organization is missing
    await expect(users.find({ name: 'x' }).lean()).rejects.toThrow('organization');
    // @ts-expect-error `nickname` is not a field
    await users.updateOne({ organizationId, name: 'x' }, { $set: { nickname: 'y' } });
  });
});
