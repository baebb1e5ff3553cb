import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BSON, type Document } from 'mongodb';
import { addReservation, addUnit, addWallet } from '../support/builders.js';
import { range } from '../support/counting.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';

const mebibyte = 1_048_576;
/** An event needs at most this many bytes in addition to its wallet, and so does a report. */
const maxOverhead = 16_384;

const service = sharedService();

const storedBytes = (document: Document) => BSON.calculateObjectSize(document);
const sentBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Returns a history that takes about this share of the maximum size of a wallet. */
function historyOf(chequeNumber: string, share: number): Document[] {
  const changedAt = new Date();
  const entry = { status: 'overdue', chequeNumber, changedAt, source: 'External API' };
  const stored = storedBytes({ 10_000: entry }) - 5;
  const count = Math.min((4 * mebibyte) / stored, (8 * mebibyte) / (sentBytes(entry) + 1)) * share;
  return range(Math.ceil(count)).map(() => entry);
}

it('a wallet of any size can be deleted and restored, but refuses oversized reports', async () => {
  const statuses = new Set<number>();
  const property = fc.asyncProperty(
    fc.constantFrom('\u0001', '"', 'x', '🏠', 'ع'),
    fc.oneof(fc.double({ min: 0.99, max: 1.01, noNaN: true }), fc.constantFrom(0.5, 2)),
    async (text, share) => {
      const tenant = await service.addTenant();
      const unitId = await tenant.add(addUnit);
      const reservationId = await tenant.add(addReservation, unitId, { recordSystemId: 'deal' });
      const chequeNumber = text.repeat(256 / text.length);
      const cheque = { installmentId: '1', statusHistory: historyOf(chequeNumber, share) };
      await tenant.add(addWallet, { reservationId, unitId, cheques: [cheque] });
      const callback = (body: object) =>
        tenant.post('/reservations/webhook', { reservationId, ...body });
      const wallet = () => tenant.storedOne('chequeWallets');

      const before = await wallet();
      const report = { installmentId: '1', chequeStatus: 'overdue', chequeNumber };
      const { status, headers } = await callback(report);
      statuses.add(status);
      const after = await wallet();
      const [stored, sent] = [storedBytes(after), sentBytes(after)];
      if (status === 201) {
        expect(stored).toBeLessThanOrEqual(4 * mebibyte);
        expect(sent).toBeLessThanOrEqual(8 * mebibyte);
      } else {
        expect(headers['x-error-code']).toBe('wallet.full');
        expect([stored, sent]).toEqual([storedBytes(before), sentBytes(before)]);
        expect(stored > 4 * mebibyte - maxOverhead || sent > 8 * mebibyte - maxOverhead).toBe(true);
      }
      const logged = await tenant.stored('reservationCallbacks');
      expect(logged).toMatchObject([{ outcome: { status } }]);

      await callback({ reservationStatus: 'canceled' }).expect(201);
      expect(await wallet()).toMatchObject({ isDeleted: true });
      const reopened = { recordSystemId: 'deal', status: 'pending', reopen: true };
      await tenant.post('/reservations', reopened).expect(200);
      expect(await wallet()).toMatchObject({ isDeleted: false });
      const events = await tenant.stored('outboxEvents', { type: /^wallet|^reservation/ });
      expect(events.map(({ type }) => type as string).toSorted()).toEqual([
        'reservation.updated',
        'reservation.updated',
        'wallet.deleted',
        'wallet.restored',
        ...(status === 201 ? ['wallet.updated'] : []),
      ]);
      for (const { type, data, changes } of events) {
        const event = { type, timestamp: new Date(), data, changes };
        expect(sentBytes(event)).toBeLessThanOrEqual(8 * mebibyte);
        // Events omit only cheques that another program has stored beyond the limits.
        const { cheques } = (data.chequeWallet ?? data) as { cheques: Document[] };
        if (share <= 0.995) expect(cheques[0]?.['statusHistory'].length).toBeGreaterThan(0);
      }
      // The next run does not need the large documents.
      for (const name of ['chequeWallets', 'outboxEvents']) {
        await service.db.collection(name).deleteMany({ organizationId: tenant.organizationId });
      }
    },
  );
  const examples: [string, number][] = [
    ['x', 0.5],
    ['\u0001', 0.5],
    ['\u0001', 1.01],
    ['\u0001', 2],
  ];
  await fc.assert(property, { numRuns: rounds(4, 100), examples });
  expect(statuses).toEqual(new Set([201, 422]));
}, 600_000);
