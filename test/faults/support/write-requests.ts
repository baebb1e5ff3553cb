import type { Db, ObjectId } from 'mongodb';
import { addCompound, addReserved, addUnit } from '../../support/builders.js';

export interface WriteRequest {
  readonly path: string;
  readonly body: object;
  readonly isKeyed: boolean;
  /** Filter and number of the documents that the request stores. */
  readonly stores: readonly [collection: string, filter: object, count: number];
}

let people = 0;

/** Returns requests of every endpoint that writes in a transaction. The name makes their ids unique. */
export async function addWriteRequests(
  db: Db,
  organizationId: ObjectId,
  name: string,
): Promise<WriteRequest[]> {
  const [unit, slug] = [`unit-${name}`, `compound-${name}`];
  await addCompound(db, organizationId, { 'en-us': 'Palm Meadows' }, { slug });
  const unitId = await addUnit(db, organizationId, { slug: unit });
  const reservationId = await addReserved(db, organizationId, unitId);
  const id = (prefix: string) => ({ recordSystemId: `${prefix}-${name}` });
  const create = (prefix: string, collection: string, isKeyed: boolean, body: object) => {
    const stores = [collection, id(prefix), 1] as const;
    return { path: `/${collection}`, body: { ...id(prefix), ...body }, isKeyed, stores };
  };
  const person = (prefix: string) => {
    const phoneNumber = `010${String(++people).padStart(8, '0')}`;
    return { name: prefix, phoneNumber, email: `${prefix}-${name}@example.com` };
  };
  const batch = [id('b1'), id('b2')];
  const callback = { reservationId, installmentId: '1', chequeStatus: 'overdue' };
  const overdue = { reservationId, 'cheques.status': 'overdue' };
  const keyed = (path: string, body: object, stores: WriteRequest['stores']) => {
    return { path, body, isKeyed: true, stores };
  };
  return [
    create('l1', 'leads', false, person('l1')),
    create('l2', 'leads', true, person('l2')),
    create('l3', 'leads', false, person('l3')),
    create('u', 'units', true, { compound: slug, name: 'u' }),
    create('r', 'reservations', false, { unit }),
    keyed('/leads/batch', { leads: batch }, ['leads', { $or: batch }, 2]),
    keyed('/reservations/webhook', callback, ['chequeWallets', overdue, 1]),
  ];
}

export const countStored = (db: Db, { stores: [collection, filter] }: WriteRequest) =>
  db.collection(collection).countDocuments(filter);
