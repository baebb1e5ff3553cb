import type { Db, Document, ObjectId } from 'mongodb';
import { addReservation, addUnit, addWallet, type Tenant } from '../../support/builders.js';
import { eventually } from '../../support/eventually.js';
import { send } from '../../support/service-process.js';
import type { RandomNumbers } from './random.js';

/** A request in the format of the checker. */
interface Input {
  readonly op: string;
  readonly [field: string]: string | number;
}

/** One operation, as the checker reads it (linearizability/history.go). */
export interface RecordedOperation {
  readonly key: string;
  readonly client: number;
  /** In microseconds of one clock. */
  readonly call: number;
  readonly return: number;
  readonly input: Input;
  /** Null when the client was not told whether it happened. */
  readonly output: Document | null;
}

/** One exchange to come, and what of its response counts. */
interface Step {
  readonly key: string;
  readonly input: Input;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly told: (response: Response) => Document;
}

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Document | undefined;
}

/** A unit with two reservations. */
interface Unit {
  readonly key: string;
  readonly slug: string;
  readonly reservations: readonly { readonly _id: ObjectId; readonly recordSystemId: string }[];
}

const installmentId = 'installment-1';
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
  /** Answers that no operation may get, such as a 400. */
  readonly unexpected: unknown[] = [];
  private round = 0;
  private value = 0;
  private turn = 0;
  private client = 0;

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
    const leads = Array.from({ length: leadsOfRound }, (_, index) => `lead-${round}-${index}`);
    const names = Array.from({ length: unitsOfRound }, (_, index) => `unit-${round}-${index}`);
    const units = await Promise.all(names.map((name) => this.addUnit(name)));
    let left = operations;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const client = this.client++;
        while (left-- > 0) await this.perform(client, this.choose(leads, units));
      }),
    );
  }

  /** Waits until a number of further operations were written down. */
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
    const { organizationId } = this.tenant;
    const unitId = await addUnit(this.db, organizationId, { slug: key, status: 'Reserved' });
    const reservations = [0, 1].map(async (index) => {
      const recordSystemId = `${key}-${index}`;
      const reservationId = await addReservation(this.db, organizationId, unitId, {
        recordSystemId,
        partnerCollection: { isActive: index === 0 },
      });
      const cheques = [{ installmentId }];
      await addWallet(this.db, organizationId, { reservationId, unitId, cheques });
      return { _id: reservationId, recordSystemId };
    });
    return { key, slug: key, reservations: await Promise.all(reservations) };
  }

  private choose(leads: readonly string[], units: readonly Unit[]): Step {
    const lead = leads[this.random.below(2 * leads.length)];
    if (lead !== undefined) return this.leadStep(lead);
    return this.unitStep(this.pick(units));
  }

  private leadStep(key: string): Step {
    const path = `/leads/${key}`;
    const told = ({ status, body }: Response) =>
      status >= 400 ? { status } : { status, ...shownLead(body?.['lead']) };
    const dice = this.random.next();
    if (dice < 0.3) return { key, input: { op: 'read' }, method: 'GET', path, told };
    if (dice < 0.45) return { key, input: { op: 'delete' }, method: 'DELETE', path, told };
    const field = dice < 0.7 ? 'a' : 'b';
    const value = ++this.value;
    return {
      key,
      input: { op: 'upsert', field, value },
      method: 'POST',
      path: '/leads',
      body: { recordSystemId: key, data: { [field]: value } },
      told,
    };
  }

  private unitStep({ key, slug, reservations }: Unit): Step {
    const index = this.random.below(reservations.length);
    const { _id, recordSystemId } = reservations[index] as Unit['reservations'][number];
    const dice = this.random.next();
    if (dice < 0.15) {
      return {
        key,
        input: { op: 'readUnit' },
        method: 'GET',
        path: `/units/${slug}`,
        told: ({ status, body }) => ({ status, unitStatus: body?.['data']?.status }),
      };
    }
    if (dice < 0.3) {
      return {
        key,
        input: { op: 'readReservation', reservation: index },
        method: 'GET',
        path: `/reservations/${_id.toHexString()}`,
        told: ({ status, body }) => ({ status, reservation: shownReservation(body?.['data']) }),
      };
    }
    if (dice < 0.5) {
      return {
        key,
        input: { op: 'reopen', reservation: index },
        method: 'POST',
        path: '/reservations',
        body: { recordSystemId, status: 'pending_cheque_collection', reopen: true },
        told: ({ status, body }) => ({
          status,
          reservation: shownReservation(body?.['reservation']),
        }),
      };
    }
    const chequeStatus = dice < 0.85 ? this.pick(chequeStatuses) : undefined;
    const reservationStatus = dice > 0.75 ? this.pick(reservationStatuses) : undefined;
    const sent = {
      ...(chequeStatus === undefined ? {} : { chequeStatus }),
      ...(reservationStatus === undefined ? {} : { reservationStatus }),
    };
    return {
      key,
      input: { op: 'callback', reservation: index, ...sent },
      method: 'POST',
      path: '/reservations/webhook',
      body: {
        reservationId: _id,
        ...(chequeStatus === undefined ? {} : { installmentId }),
        ...sent,
      },
      told: ({ status, headers }) => ({
        status,
        code: headers.get('x-error-code') ?? '',
        reservationStep: headers.get('x-callback-reservation'),
        chequeStep: headers.get('x-callback-cheque'),
      }),
    };
  }

  private pick<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)] as T;
  }

  private async perform(client: number, { key, input, told, ...sent }: Step): Promise<void> {
    const call = now();
    const response = await this.exchange(sent);
    const returned = now();
    const isTold = response.status !== 0 && response.status < 500;
    if (![0, 200, 201, 404, 422, 503].includes(response.status)) {
      this.unexpected.push({ input, ...response });
    }
    // A read of which nothing came back says nothing.
    if (!isTold && input.op.startsWith('read')) return;
    this.history.push({
      key,
      client,
      call,
      return: returned,
      input,
      output: isTold ? told(response) : null,
    });
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

function shownLead(lead: Document | undefined): Document {
  const { a = 0, b = 0 } = (lead?.['data'] ?? {}) as Document;
  return { leadId: lead?.['leadId'], a, b };
}

function shownReservation(reservation: Document | undefined): Document {
  const wallet = reservation?.['chequeWallet'];
  const cheque = wallet?.cheques?.[0];
  return {
    status: reservation?.['status'],
    chequeStatus: cheque?.status,
    reports: cheque?.statusHistory.length,
    isWalletDeleted: wallet?.isDeleted,
  };
}

function now(): number {
  return Math.round(performance.now() * 1_000);
}
