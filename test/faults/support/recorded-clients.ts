import type { Db, Document, ObjectId } from 'mongodb';
import { addReservation, addUnit, addWallet, type Tenant } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import { eventually } from '../../support/eventually.js';
import { send } from '../../support/service-process.js';
import type { Input, RecordedOperation } from './linearizability.js';
import type { RandomNumbers } from './random.js';

/** One exchange to come, and what its response shows to the checker. */
interface Step {
  readonly key: string;
  readonly input: Input;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly shown: (response: Response) => Document;
}

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Document | undefined;
}

/** A unit with two reservations. */
interface Unit {
  readonly key: string;
  readonly reservations: readonly { readonly _id: ObjectId; readonly recordSystemId: string }[];
}

const installmentId = '1';
const chequeStatuses = ['collected', 'bounced', 'collected', 'bounced', 'overdue'];
const reservationStatuses = ['approved', 'canceled', 'approved', 'rejected'];
const leadsOfRound = 3;
const unitsOfRound = 2;

/**
 * Clients that upsert, read and delete a few leads, send callbacks to the reservations of a few units and
 * read them, and record each request with its time and response.
 */
export class RecordedClients {
  readonly history: RecordedOperation[] = [];
  /** Responses that no operation may get, such as a 400. */
  readonly unexpected: unknown[] = [];
  private round = 0;
  private value = 0;
  private turn = 0;

  /** @param urls addresses of the instances as they are now */
  constructor(
    private readonly db: Db,
    private readonly tenant: Tenant,
    private readonly urls: () => readonly string[],
    private readonly random: RandomNumbers,
  ) {}

  /** Lets clients do a number of operations on leads and units that nobody has used before. */
  async run(operations: number, clients: number): Promise<void> {
    const round = ++this.round;
    const leads = range(leadsOfRound).map((index) => `lead-${round}-${index}`);
    const units = await Promise.all(
      range(unitsOfRound).map((index) => this.addUnit(`unit-${round}-${index}`)),
    );
    let left = operations;
    const client = async () => {
      while (left-- > 0) {
        const lead = leads[this.random.below(2 * leads.length)];
        await this.perform(
          lead === undefined ? this.unitStep(this.pick(units)) : this.leadStep(lead),
        );
      }
    };
    await Promise.all(range(clients).map(client));
  }

  /** Waits until a number of further operations were recorded. */
  async further(operations: number): Promise<void> {
    const wanted = this.history.length + operations;
    await eventually(() => {
      if (this.history.length < wanted) throw new Error(`${this.history.length} of ${wanted}`);
    });
  }

  /** Begins a new history. */
  forget(): void {
    this.history.length = 0;
  }

  private async addUnit(key: string): Promise<Unit> {
    const { db } = this;
    const { organizationId } = this.tenant;
    const unitId = await addUnit(db, organizationId, { slug: key, status: 'Reserved' });
    const reservations = range(2).map(async (index) => {
      const recordSystemId = `${key}-${index}`;
      const partnerCollection = { isActive: index === 0 };
      const fields = { recordSystemId, partnerCollection };
      const reservationId = await addReservation(db, organizationId, unitId, fields);
      const cheques = [{ installmentId }];
      await addWallet(db, organizationId, { reservationId, unitId, cheques });
      return { _id: reservationId, recordSystemId };
    });
    return { key, reservations: await Promise.all(reservations) };
  }

  private leadStep(key: string): Step {
    const path = `/leads/${key}`;
    const shown = ({ status, body }: Response) => {
      const { leadId, data: { a = 0, b = 0 } = {} } = body?.['lead'] ?? {};
      return status >= 400 ? { status } : { status, leadId, a, b };
    };
    const dice = this.random.next();
    if (dice < 0.3) return { key, input: { op: 'read' }, method: 'GET', path, shown };
    if (dice < 0.45) return { key, input: { op: 'delete' }, method: 'DELETE', path, shown };
    const field = dice < 0.7 ? 'a' : 'b';
    const value = ++this.value;
    const body = { recordSystemId: key, data: { [field]: value } };
    const input = { op: 'upsert', field, value };
    return { key, input, method: 'POST', path: '/leads', body, shown };
  }

  private unitStep({ key, reservations }: Unit): Step {
    const reservation = this.random.below(reservations.length);
    const { _id, recordSystemId } = reservations[reservation] as Unit['reservations'][number];
    const step = (op: string, path: string, shown: Step['shown']) => {
      return { key, input: { op, reservation }, method: 'GET', path, shown };
    };
    const shownAs =
      (name: string): Step['shown'] =>
      ({ status, body }) => ({ status, reservation: shownReservation(body?.[name]) });
    const dice = this.random.next();
    if (dice < 0.15) {
      return step('readUnit', `/units/${key}`, ({ status, body }) => {
        return { status, unitStatus: body?.['data']?.status };
      });
    }
    if (dice < 0.3) return step('readReservation', `/reservations/${String(_id)}`, shownAs('data'));
    if (dice < 0.5) {
      const body = { recordSystemId, status: 'pending_cheque_collection', reopen: true };
      return { ...step('reopen', '/reservations', shownAs('reservation')), method: 'POST', body };
    }
    const sent = {
      ...(dice < 0.85 && { chequeStatus: this.pick(chequeStatuses) }),
      ...(dice > 0.75 && { reservationStatus: this.pick(reservationStatuses) }),
    };
    const shown = ({ status, headers, body: { message } = {} }: Response) => ({
      status,
      ...(message === undefined ? {} : { message }),
      reservation: headers.get('x-callback-reservation'),
      cheque: headers.get('x-callback-cheque'),
    });
    return {
      key,
      input: { op: 'callback', reservation, ...sent },
      method: 'POST',
      path: '/reservations/webhook',
      body: { reservationId: _id, ...(sent.chequeStatus && { installmentId }), ...sent },
      shown,
    };
  }

  private pick<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)] as T;
  }

  private async perform({ key, input, shown, ...request }: Step): Promise<void> {
    const call = performance.now();
    const response = await this.exchange(request);
    const operation = { key, input, call, return: performance.now() };
    const { status } = response;
    if (![0, 200, 201, 404, 422, 503].includes(status)) {
      this.unexpected.push({ input, ...response });
    }
    if (status !== 0 && status < 500) this.history.push({ ...operation, output: shown(response) });
    // A read without a response says nothing.
    else if (!input.op.startsWith('read')) this.history.push({ ...operation, output: null });
  }

  private async exchange(request: Pick<Step, 'method' | 'path' | 'body'>): Promise<Response> {
    const urls = this.urls();
    const url = urls[this.turn++ % urls.length] ?? '';
    // Such a response is never cached: another instance's writes may be missing for a second otherwise (rule DATA-6).
    const headers = { 'x-no-compression': '1' };
    try {
      return await send(url, { ...request, key: this.tenant.key, headers });
    } catch {
      return { status: 0, headers: new Headers(), body: undefined };
    }
  }
}

function shownReservation({ status, chequeWallet: wallet }: Document = {}): Document {
  const cheque = wallet?.cheques?.[0];
  return {
    status,
    chequeStatus: cheque?.status,
    reports: cheque?.statusHistory.length,
    isWalletDeleted: wallet?.isDeleted,
  };
}
