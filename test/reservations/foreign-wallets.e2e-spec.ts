import { inspect } from 'node:util';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal128, type Document, Double, Int32, Long, type ObjectId } from 'mongodb';
import { addReservation, addUnit, addWallet } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';

/** Stands for a time that the database can store but JavaScript cannot represent. */
const distantTime = 'distant';

const service = sharedService();
const wallets = service.db.collection('chequeWallets');

const installmentId = fc.constantFrom('1', '2', '3');
const amount = fc.constantFrom<unknown>(
  undefined,
  null,
  new Int32(5),
  new Double(5),
  Long.fromString('9007199254740993'),
  Decimal128.fromString('5.10'),
);
const time = fc.constantFrom<unknown>(undefined, null, distantTime, new Date(0), '2026-01-01');
const entry = fc.record({
  status: fc.constantFrom('pending', 'bounced'),
  chequeAmount: amount,
  changedAt: time,
  source: fc.constant('Admin'),
  by: fc.constantFrom<unknown>(undefined, { 'a.b': new Int32(1), $c: [new Double(1)] }),
});
const junk = fc.constantFrom<unknown>(null, 'text', new Int32(7));
const cheque = fc.record({
  installmentId,
  status: fc.constantFrom('pending', 'bounced', 'overdue'),
  chequeNumber: fc.constantFrom(undefined, 'A-1'),
  chequeAmount: amount,
  dueDate: time,
  statusHistory: fc.oneof(
    fc.constantFrom<unknown>(undefined, null, 'text'),
    fc.array(fc.oneof({ weight: 3, arbitrary: entry }, junk), { maxLength: 3 }),
  ),
  bank: fc.constantFrom<unknown>(undefined, null, { 'a.b': new Int32(1), '': new Double(2) }),
});
const step = fc.oneof(
  fc.record({
    kind: fc.constant('report' as const),
    installmentId,
    chequeStatus: fc.constantFrom('overdue', 'collected', 'bounced'),
    chequeAmount: fc.constantFrom(undefined, 5, 7),
  }),
  fc.record({
    kind: fc.constant('cheque' as const),
    installmentId: fc.oneof(installmentId, fc.constant('new')),
    chequeAmount: fc.constantFrom(undefined, 5, 7),
    dueDate: fc.constantFrom(undefined, '2026-02-01'),
  }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom('canceled', 'pending'),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Returns an aggregation expression for an item, because the driver cannot send times outside the range of Date. */
function expressionOf(item: unknown): unknown {
  if (item === distantTime) return { $toDate: Long.fromString('9000000000000000') };
  if (item?.constructor !== Object) return { $literal: item };
  const fields = Object.entries(item)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const isNested = Array.isArray(value) || value === distantTime;
      if (!isNested) return [name, { $literal: value }];
      return [name, Array.isArray(value) ? value.map(expressionOf) : expressionOf(value)];
    });
  return Object.fromEntries(fields);
}

/** Returns the items of a wallet's list, with numbers in their stored types. */
async function listOf(_id: ObjectId): Promise<unknown[]> {
  const exact = { promoteValues: false, promoteLongs: false };
  return (await wallets.findOne<Document>({ _id }, exact))?.['cheques'] as unknown[];
}

/**
 * Returns an item without the fields that the steps may have set, and with only the original entries of its history.
 */
function unchangedFields(item: unknown, before: unknown, steps: readonly Step[]): unknown {
  const { installmentId: id, statusHistory: old } = (before ?? {}) as Document;
  const isAbout = (kind: Step['kind']) =>
    typeof before === 'object' &&
    steps.some((one) => one.kind === kind && 'installmentId' in one && one.installmentId === id);
  const [isReported, isSent] = [isAbout('report'), isAbout('cheque')];
  if (!isReported && !isSent) return item;
  const { status, statusHistory, chequeAmount: _amount, dueDate, ...rest } = item as Document;
  const history: unknown = Array.isArray(old) ? statusHistory?.slice(0, old.length) : undefined;
  return {
    ...rest,
    ...(isReported ? { history } : { status, statusHistory }),
    ...(isSent ? {} : { dueDate }),
  };
}

it('a report or an upsert keeps all unknown values of a wallet', async () => {
  let applied = 0;
  const property = fc.asyncProperty(
    fc.array(fc.oneof({ weight: 4, arbitrary: cheque }, junk), { minLength: 1, maxLength: 5 }),
    fc.array(step, { minLength: 1, maxLength: 5 }),
    async (cheques, steps) => {
      const tenant = await service.addTenant();
      const unitId = await tenant.add(addUnit);
      const fields = { recordSystemId: 'deal', status: 'pending' };
      const reservationId = await tenant.add(addReservation, unitId, fields);
      const _id = await tenant.add(addWallet, { reservationId, unitId, cheques: [] });
      const stored = { $set: { cheques: cheques.map(expressionOf) } };
      await wallets.updateOne({ _id }, [stored], { bypassDocumentValidation: true });
      const before = await listOf(_id);
      for (const { kind, ...body } of steps) {
        const change = kind === 'status' ? { ...body, reopen: true } : { cheques: [body] };
        const { status } =
          kind === 'report'
            ? await tenant.post('/reservations/webhook', { reservationId, ...body })
            : await tenant.post('/reservations', { recordSystemId: 'deal', ...change });
        expect([200, 201, 404]).toContain(status);
        if (status !== 404) applied += 1;
      }
      const after = await listOf(_id);
      // The comparison uses strings, because invalid dates never equal each other.
      const unchanged = (items: unknown[]) =>
        inspect(
          items.map((item, index) => unchangedFields(item, before[index], steps)),
          { depth: null },
        );
      expect(unchanged(after.slice(0, before.length))).toBe(unchanged(before));
    },
  );
  await fc.assert(property, { numRuns: rounds(40, 400) });
  expect(applied).toBeGreaterThan(40);
}, 300_000);
