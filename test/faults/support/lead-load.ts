import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from '@jest/globals';
import type { Db } from 'mongodb';
import type { Tenant } from '../../support/builders.js';
import { countStatuses, range } from '../../support/counting.js';
import { eventually } from '../../support/eventually.js';
import { type ResponseBody, send } from '../../support/service-process.js';
import type { RandomNumbers } from './random.js';
import { differences } from './stored-state.js';

/** The acknowledged state of a lead. */
export interface KnownLead {
  /** In `data.marker`, and nowhere else. */
  readonly marker: string;
  /** Not there when its creation carried an Idempotency-Key instead. */
  readonly recordSystemId?: string;
  readonly _id: string;
  readonly leadId: number;
  /** In `data.step`: the number of acknowledged updates. */
  step: number;
  /** How often one of its requests was sent again. */
  repetitions: number;
}

/** One response, or that there was none. */
export interface LoadResponse {
  /** HTTP status; 0 when the connection was refused or cut. */
  readonly status: number;
  /** Code of the error on the connection. */
  readonly error?: string;
  readonly headers: Headers;
  readonly body?: ResponseBody;
  readonly sentAt: number;
  readonly milliseconds: number;
}

interface LoadOptions {
  readonly db: Db;
  /** Has no other callers. */
  readonly tenant: Tenant;
  /** Addresses of the instances as they are now; it may be empty for a while. */
  readonly urls: () => readonly string[];
  readonly random: RandomNumbers;
}

let lastLead = 0;
let isOver = false;

/** A failed test must not leave its callers running. */
afterAll(() => {
  isOver = true;
});

/**
 * Callers that create and update leads, retry until acknowledged, and record the responses. Each lead belongs to one
 * caller, who updates it step by step.
 */
export class LeadLoad {
  /** Every lead whose creation was acknowledged. */
  readonly leads: KnownLead[] = [];
  /** Every response, in the order in which they came. */
  readonly responses: LoadResponse[] = [];
  /** Called after each response. */
  onResponse: () => void = () => undefined;
  private clients: Promise<void>[] = [];
  private isStopped = false;
  private turn = 0;

  constructor(private readonly options: LoadOptions) {}

  /** The responses that asked for a retry, because the database was not available. */
  get unavailable(): LoadResponse[] {
    return this.responses.filter(({ status }) => status === 503);
  }

  /** Changes, responses and the longest wait, for the report of a test. */
  get summary(): string {
    return (
      `seed ${this.options.random.seed}: ${this.acknowledged} changes acknowledged, responses ` +
      `${JSON.stringify(countStatuses(this.responses))}, longest ${longestWait(this.responses)} ms`
    );
  }

  /** Lets a number of callers begin. */
  start(clients: number): void {
    this.isStopped = false;
    this.clients = range(clients).map(() => this.run());
    // Notifies waiting callers.
    for (const client of this.clients) client.catch(() => undefined);
  }

  /** Waits until this many further changes were acknowledged. */
  async further(changes: number): Promise<void> {
    const wanted = this.acknowledged + changes;
    await eventually(() => {
      if (this.acknowledged < wanted) throw new Error(`${wanted - this.acknowledged} are missing`);
    }, 120_000);
  }

  /** Lets each caller finish what it has begun: after that nothing is open. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.clients);
  }

  /** Creates a lead that its repetitions recognize, again and again until that is acknowledged. */
  async create(identity: 'recordSystemId' | 'Idempotency-Key'): Promise<KnownLead> {
    const number = ++lastLead;
    const marker = `lead-${number}`;
    const phoneNumber = `010${String(number).padStart(8, '0')}`;
    const isKeyed = identity === 'Idempotency-Key';
    const id = isKeyed ? {} : { recordSystemId: marker };
    const body = { ...id, name: marker, phoneNumber, data: { marker, step: 0 } };
    const headers = isKeyed ? { 'idempotency-key': marker } : undefined;
    const { _id, leadId, repetitions } = await this.untilAcknowledged(body, headers);
    const lead = { marker, ...id, _id, leadId, step: 0, repetitions };
    this.leads.push(lead);
    return lead;
  }

  /**
   * Everything that went wrong, in words: responses other than acknowledged, unavailable or still running, and
   * differences between what is stored and what was acknowledged.
   *
   * @param order whether the clocks of the instances agreed
   */
  async wrongs(order: 'in their order' | 'in any order' = 'in their order'): Promise<string[]> {
    const { db, tenant } = this.options;
    const expected = [200, 201, 0, 503, 409];
    const unexpected = this.responses.filter(({ status }) => !expected.includes(status));
    return [
      ...unexpected.map(({ status, body }) => `${status} ${JSON.stringify(body)}`),
      ...(await differences(db, tenant.organizationId, this.leads, order)),
    ];
  }

  /** Sends a request once. */
  async post(
    body: object,
    headers: Readonly<Record<string, string>> = {},
    url = this.nextUrl(),
  ): Promise<LoadResponse> {
    const sentAt = performance.now();
    const response = await this.exchange(url, body, headers);
    const timed = { ...response, sentAt, milliseconds: performance.now() - sentAt };
    this.responses.push(timed);
    this.onResponse();
    return timed;
  }

  private get acknowledged(): number {
    return this.leads.reduce((sum, { step }) => sum + 1 + step, 0);
  }

  private async run(): Promise<void> {
    const { random } = this.options;
    const own: KnownLead[] = [];
    while (!this.isStopped) {
      const lead = own[random.below(own.length)];
      if (lead !== undefined && random.next() < 0.4) {
        const body = { recordSystemId: lead.recordSystemId, data: { step: lead.step + 1 } };
        lead.repetitions += (await this.untilAcknowledged(body)).repetitions;
        lead.step += 1;
      } else if (random.next() < 0.4) await this.create('Idempotency-Key');
      else own.push(await this.create('recordSystemId'));
    }
  }

  private async untilAcknowledged(body: object, headers?: Readonly<Record<string, string>>) {
    for (let repetitions = 0; !isOver; repetitions++) {
      const { status, body: received } = await this.post(body, headers);
      if (received !== undefined && (status === 200 || status === 201)) {
        return { ...received.lead, repetitions };
      }
      // A retry cannot fix other statuses; the responses show them, and the test ends.
      if (status >= 400 && status < 500 && status !== 409) {
        throw new Error(`A lead was refused with ${status}: ${JSON.stringify(body)}`);
      }
      await delay(25);
    }
    throw new Error('The test ended before the load.');
  }

  private async exchange(
    url: string | undefined,
    body: object,
    headers: Readonly<Record<string, string>>,
  ): Promise<Omit<LoadResponse, 'sentAt' | 'milliseconds'>> {
    const none = { status: 0, headers: new Headers() };
    if (url === undefined) return { ...none, error: 'no instance' };
    const { key } = this.options.tenant;
    try {
      return await send(url, { method: 'POST', path: '/leads', key, body, headers });
    } catch (error) {
      const { cause } = error as { cause?: NodeJS.ErrnoException };
      return { ...none, error: cause?.code ?? String(error) };
    }
  }

  private nextUrl(): string | undefined {
    const urls = this.options.urls();
    return urls[this.turn++ % urls.length];
  }
}

/** The longest that a caller waited for a response, in milliseconds. */
export function longestWait(responses: readonly LoadResponse[]): number {
  return Math.round(Math.max(0, ...responses.map(({ milliseconds }) => milliseconds)));
}
