import type { Db, Document } from 'mongodb';
import { addReservation, addUnit, addWallet, type Tenant } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import { eventually } from '../../support/eventually.js';
import { sendRoundRobin, type Urls } from './instances.js';
import type { Input, RecordedOperation } from './linearizability.js';
import type { RandomNumbers } from './random.js';

type Response = Awaited<ReturnType<ReturnType<typeof sendRoundRobin>>>;

/** A request to send, and the parts of its response that the checker compares. */
interface Step {
  readonly input: Input;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly shown: (response: Document) => Document;
}

const installmentId = '1';
const chequeStatuses = ['collected', 'bounced', 'collected', 'bounced', 'overdue'];
const reservationStatuses = ['approved', 'canceled', 'approved', 'rejected'];
/** Such responses are never cached. A cached one may miss another instance's writes for a second (rule DATA-6). */
const headers = { 'x-no-compression': '1' };

/**
 * Runs clients that upsert, read and delete a few leads, send callbacks to the reservations of a few units and read
 * them. Each request is recorded with its time and response.
 */
export class RecordedClients {
  readonly history: RecordedOperation[] = [];
  /** Responses that no operation may get, such as a 400. */
  readonly unexpected: unknown[] = [];
  private readonly send: ReturnType<typeof sendRoundRobin>;
  private round = 0;
  private value = 0;

  constructor(
    private readonly db: Db,
    private readonly tenant: Tenant,
    urls: Urls,
    private readonly random: RandomNumbers,
  ) {
    this.send = sendRoundRobin(urls, tenant.key);
  }

  /** Lets the clients send this many operations on new leads and units. */
  async run(operations: number, clients: number): Promise<void> {
    const round = ++this.round;
    const leads = range(3).map((index) => `lead-${round}-${index}`);
    const units = range(2).map((index) => `unit-${round}-${index}`);
    const reservations = new Map(
      await Promise.all(units.map(async (unit) => [unit, await this.addUnit(unit)] as const)),
    );
    let left = operations;
    const client = async () => {
      while (left-- > 0) {
        const isLead = this.random.next() < 0.5;
        const key = this.pick(isLead ? leads : units);
        const step = isLead ? this.leadStep(key) : this.unitStep(key, reservations.get(key) ?? []);
        await this.perform(key, step);
      }
    };
    await Promise.all(range(clients).map(client));
  }

  /** Waits until this many further operations are recorded. */
  async waitForOperations(operations: number): Promise<void> {
    const wanted = this.history.length + operations;
    await eventually(() => {
      if (this.history.length < wanted) throw new Error(`${this.history.length} of ${wanted}`);
    }, 120_000);
  }

  clearHistory(): void {
    this.history.length = 0;
  }

  /** Adds a reserved unit with two reservations, and returns their ids. */
  private async addUnit(slug: string): Promise<string[]> {
    const { organizationId } = this.tenant;
    const unitId = await addUnit(this.db, organizationId, { slug, status: 'Reserved' });
    const reservations = range(2).map(async (index) => {
      const partnerCollection = { isActive: index === 0 };
      const fields = { recordSystemId: `${slug}-${index}`, partnerCollection };
      const reservationId = await addReservation(this.db, organizationId, unitId, fields);
      const cheques = [{ installmentId }];
      await addWallet(this.db, organizationId, { reservationId, unitId, cheques });
      return reservationId.toHexString();
    });
    return Promise.all(reservations);
  }

  private leadStep(key: string): Step {
    const path = `/leads/${key}`;
    const shown = ({ status, body }: Document) => {
      const { leadId, data: { a = 0, b = 0 } = {} } = body?.lead ?? {};
      return status >= 400 ? { status } : { status, leadId, a, b };
    };
    const dice = this.random.next();
    if (dice < 0.3) return { input: { op: 'read' }, method: 'GET', path, shown };
    if (dice < 0.45) return { input: { op: 'delete' }, method: 'DELETE', path, shown };
    const field = dice < 0.7 ? 'a' : 'b';
    const value = ++this.value;
    const body = { recordSystemId: key, data: { [field]: value } };
    return { input: { op: 'upsert', field, value }, method: 'POST', path: '/leads', body, shown };
  }

  private unitStep(key: string, reservations: readonly string[]): Step {
    const reservation = this.random.below(reservations.length);
    const reservationId = reservations[reservation];
    const shownAs =
      (name: string): Step['shown'] =>
      ({ status, body }) => ({ status, reservation: shownReservation(body?.[name]) });
    const dice = this.random.next();
    if (dice < 0.15) {
      const shown = ({ status, body }: Document) => ({ status, unitStatus: body?.data?.status });
      return { input: { op: 'readUnit' }, method: 'GET', path: `/units/${key}`, shown };
    }
    if (dice < 0.3) {
      const [input, path] = [
        { op: 'readReservation', reservation },
        `/reservations/${reservationId}`,
      ];
      return { input, method: 'GET', path, shown: shownAs('data') };
    }
    if (dice < 0.5) {
      const recordSystemId = `${key}-${reservation}`;
      const body = { recordSystemId, status: 'pending_cheque_collection', reopen: true };
      const [input, path, shown] = [
        { op: 'reopen', reservation },
        '/reservations',
        shownAs('reservation'),
      ];
      return { input, method: 'POST', path, body, shown };
    }
    const sent = {
      ...(dice < 0.85 && { chequeStatus: this.pick(chequeStatuses) }),
      ...(dice > 0.75 && { reservationStatus: this.pick(reservationStatuses) }),
    };
    return {
      input: { op: 'callback', reservation, ...sent },
      method: 'POST',
      path: '/reservations/webhook',
      body: { reservationId, ...(sent.chequeStatus && { installmentId }), ...sent },
      shown: ({ status, headers: shown, body: { message } = {} }) => ({
        status,
        ...(message === undefined ? {} : { message }),
        reservation: shown.get('x-callback-reservation'),
        cheque: shown.get('x-callback-cheque'),
      }),
    };
  }

  private pick<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)] as T;
  }

  private async perform(key: string, { input, shown, ...request }: Step): Promise<void> {
    const call = performance.now();
    const response: Response = await this.send({ ...request, headers });
    const operation = { key, input, call, return: performance.now() };
    const { status } = response;
    if (![0, 200, 201, 404, 422, 503].includes(status)) this.unexpected.push({ input, response });
    if (status !== 0 && status < 500) this.history.push({ ...operation, output: shown(response) });
    // A read without a response proves nothing, so it is not recorded.
    else if (!input.op.startsWith('read')) this.history.push({ ...operation, output: null });
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
