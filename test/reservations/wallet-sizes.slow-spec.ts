import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BSON, type Document, type ObjectId } from 'mongodb';
import { addReservation, addTenant, addUnit, addWallet } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';

const mebibyte = 1_048_576;
/** Bytes of an event without its wallet, and of a report. */
const slack = 16_384;

const service = sharedService();

/** A history that takes about a share of the largest that a wallet may have. */
function historyOf(text: string, share: number): Document[] {
  const chequeNumber = text.repeat(256 / text.length);
  const changedAt = new Date();
  const entry = { status: 'overdue', chequeNumber, changedAt, source: 'External API' };
  const stored = BSON.calculateObjectSize({ 10_000: entry }) - 5;
  const sent = Buffer.byteLength(JSON.stringify(entry)) + 1;
  const count = Math.min((4 * mebibyte) / stored, (8 * mebibyte) / sent) * share;
  return Array.from({ length: Math.ceil(count) }, () => entry);
}

function sizesOf(wallet: Document) {
  return {
    stored: BSON.calculateObjectSize(wallet),
    sent: Buffer.byteLength(JSON.stringify(wallet)),
  };
}

it('a wallet of any size can be deleted and restored, but rejects oversized reports', async () => {
  const responses = new Map<number, number>();
  const property = fc.asyncProperty(
    fc.constantFrom('\u0001', '"', 'x', '🏠', 'ع'),
    fc.oneof(fc.double({ min: 0.99, max: 1.01, noNaN: true }), fc.constantFrom(0.5, 2)),
    async (text, share) => {
      const { organizationId, key } = await addTenant(service.db);
      const unitId = await addUnit(service.db, organizationId);
      const reservationId = await addReservation(service.db, organizationId, unitId, {
        recordSystemId: 'deal',
      });
      await addWallet(service.db, organizationId, {
        reservationId,
        unitId,
        cheques: [{ installmentId: '1', statusHistory: historyOf(text, share) }],
      });
      const send = (path: string, body: object) =>
        service.api('post', path).set('api-key', key).send(body);
      const read = async (collection: string, filter: object) =>
        service.db
          .collection(collection)
          .find({ organizationId, ...filter })
          .toArray();
      const wallet = async () => (await read('chequeWallets', {}))[0] as Document;

      const before = sizesOf(await wallet());
      const report = { reservationId, installmentId: '1', chequeStatus: 'overdue' };
      const chequeNumber = text.repeat(256 / text.length);
      const reported = await send('/reservations/webhook', { ...report, chequeNumber });
      responses.set(reported.status, (responses.get(reported.status) ?? 0) + 1);
      const after = sizesOf(await wallet());
      if (reported.status === 201) {
        expect(after.stored).toBeLessThanOrEqual(4 * mebibyte);
        expect(after.sent).toBeLessThanOrEqual(8 * mebibyte);
      } else {
        expect(reported.headers['x-error-code']).toBe('wallet.full');
        expect(after).toEqual(before);
        const isNear = after.stored > 4 * mebibyte - slack || after.sent > 8 * mebibyte - slack;
        expect(isNear).toBe(true);
      }
      expect(await read('reservationCallbacks', {})).toMatchObject([
        { outcome: { status: reported.status } },
      ]);

      const canceled = { reservationId, reservationStatus: 'canceled' };
      expect((await send('/reservations/webhook', canceled)).status).toBe(201);
      expect(await wallet()).toMatchObject({ isDeleted: true });
      const reopened = { recordSystemId: 'deal', status: 'pending', reopen: true };
      expect((await send('/reservations', reopened)).status).toBe(200);
      expect(await wallet()).toMatchObject({ isDeleted: false });
      const events = await read('outboxEvents', { type: /^wallet|^reservation/ });
      expect(events.map(({ type }) => type as string).toSorted()).toEqual([
        'reservation.updated',
        'reservation.updated',
        'wallet.deleted',
        'wallet.restored',
        ...(reported.status === 201 ? ['wallet.updated'] : []),
      ]);
      for (const { type, data, changes } of events) {
        const body = JSON.stringify({ type, timestamp: new Date(), data, changes });
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8 * mebibyte);
        // Only what another program has stored beyond the limits is left out.
        const { cheques } = (data.chequeWallet ?? data) as { cheques: Document[] };
        if (share <= 0.995) expect(cheques[0]?.['statusHistory'].length).toBeGreaterThan(0);
      }
      await forget(organizationId);
    },
  );
  const examples: [string, number][] = [
    ['x', 0.5],
    ['\u0001', 0.5],
    ['\u0001', 1.01],
    ['\u0001', 2],
  ];
  await fc.assert(property, { numRuns: rounds(4, 100), examples });
  expect(Math.min(responses.get(201) ?? 0, responses.get(422) ?? 0)).toBeGreaterThan(0);
}, 600_000);

/** The large documents of one run are not kept for the next. */
async function forget(organizationId: ObjectId): Promise<void> {
  for (const name of ['chequeWallets', 'outboxEvents']) {
    await service.db.collection(name).deleteMany({ organizationId });
  }
}
