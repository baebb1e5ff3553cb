import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect } from '@jest/globals';
import type { Db } from 'mongodb';
import type { Tenant } from '../../support/builders.js';
import { countStatuses, range } from '../../support/counting.js';
import { eventually } from '../../support/eventually.js';
import { sendRoundRobin, type Urls } from './instances.js';
import { type RandomNumbers, report } from './random.js';
import { expectStored } from './stored-state.js';

export interface KnownLead {
  /** Stored in `data.marker` and nowhere else, so that it identifies the lead. */
  readonly marker: string;
  /** Missing when the request that created the lead carried an Idempotency-Key instead. */
  readonly recordSystemId?: string;
  readonly _id: string;
  readonly leadId: number;
  /** Stored in `data.step`: the number of acknowledged updates. */
  step: number;
  /** Counts how often a request about this lead was sent again. */
  repetitions: number;
}

type Send = ReturnType<typeof sendRoundRobin>;

/** A response, or the failure of its connection. */
export type LoadResponse = Awaited<ReturnType<Send>> & { at: number; milliseconds: number };

interface LoadOptions {
  readonly db: Db;
  /** The organization; nothing else may call it during the load. */
  readonly tenant: Tenant;
  readonly urls: Urls;
  readonly random: RandomNumbers;
}

const batchSize = 5;
let lastLead = 0;
let isTestOver = false;

/** Callers stop even when a test fails. */
afterAll(() => {
  isTestOver = true;
});

/**
 * Runs callers that create and update leads, retry until acknowledged, and record the responses. Each lead belongs to
 * one caller, which updates it step by step.
 */
export class LeadLoad {
  /** Every lead whose creation was acknowledged. */
  readonly leads: KnownLead[] = [];
  /** Every response, in the order of arrival. */
  readonly responses: LoadResponse[] = [];
  onResponse: () => void = () => undefined;
  private readonly send: Send;
  private clients: Promise<void>[] = [];
  private isStopped = false;

  constructor(private readonly options: LoadOptions) {
    this.send = sendRoundRobin(options.urls, options.tenant.key);
  }

  /** Returns the responses that asked for a retry because the database was unavailable. */
  get unavailable(): LoadResponse[] {
    return this.responses.filter(({ status }) => status === 503);
  }

  start(clients: number): void {
    this.isStopped = false;
    this.clients = range(clients).map(() => this.run());
    // The test sees a failure when it awaits the clients.
    for (const client of this.clients) client.catch(() => undefined);
  }

  /** Waits until this many further changes are acknowledged. */
  async waitForChanges(changes: number): Promise<void> {
    const wanted = this.acknowledged + changes;
    await eventually(() => expect(this.acknowledged).toBeGreaterThanOrEqual(wanted), 120_000);
  }

  /** Lets each caller finish its current request, so that no request is running afterwards. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.clients);
  }

  /** Creates a lead or a whole batch, and retries until that is acknowledged. Retries add no lead. */
  async create(kind: 'recordSystemId' | 'Idempotency-Key' | 'batch'): Promise<KnownLead> {
    const payloads = range(kind === 'batch' ? batchSize : 1).map(() => {
      const marker = `lead-${++lastLead}`;
      const id = kind === 'recordSystemId' ? { recordSystemId: marker } : {};
      const phoneNumber = `010${String(lastLead).padStart(8, '0')}`;
      return { ...id, name: marker, phoneNumber, data: { marker, step: 0 } };
    });
    const [first] = payloads as [(typeof payloads)[number]];
    const headers: Record<string, string> =
      kind === 'recordSystemId' ? {} : { 'idempotency-key': first.data.marker };
    const isBatch = kind === 'batch';
    const { body, repetitions } = isBatch
      ? await this.untilAcknowledged('/leads/batch', { leads: payloads }, headers)
      : await this.untilAcknowledged('/leads', first, headers);
    const created = isBatch ? body.results.map(({ lead }) => lead) : [body.lead];
    const known = payloads.map(({ data: { marker }, ...payload }, index): KnownLead => {
      const { _id = '', leadId = 0 } = created[index] ?? {};
      const { recordSystemId } = payload as { recordSystemId?: string };
      return {
        marker,
        ...(recordSystemId && { recordSystemId }),
        _id,
        leadId,
        step: 0,
        repetitions,
      };
    });
    this.leads.push(...known);
    return known[0] as KnownLead;
  }

  /**
   * Expects that every response acknowledged a change or asked for a retry, that none took too long, and that exactly
   * the acknowledged changes are stored.
   */
  async expectConsistent(
    maxWaitMs = Infinity,
    order: 'in their order' | 'in any order' = 'in their order',
  ): Promise<void> {
    const { db, tenant, random } = this.options;
    const longest = Math.round(Math.max(...this.responses.map((one) => one.milliseconds)));
    report(
      `seed ${random.seed}: ${this.acknowledged} changes acknowledged, responses ` +
        `${JSON.stringify(countStatuses(this.responses))}, longest ${longest} ms`,
    );
    const expected = [200, 201, 0, 503, 409];
    const unexpected = this.responses.filter(({ status }) => !expected.includes(status));
    expect(unexpected.map(({ status, body }) => ({ status, body }))).toEqual([]);
    for (const { headers } of this.unavailable) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(longest).toBeLessThan(maxWaitMs);
    await expectStored(db, tenant.organizationId, this.leads, order);
  }

  async post(
    body: object,
    headers: Readonly<Record<string, string>> = {},
    { path = '/leads', url }: { readonly path?: string; readonly url?: string } = {},
  ): Promise<LoadResponse> {
    const sentAt = performance.now();
    const response = await this.send({ method: 'POST', path, body, headers }, url);
    const at = performance.now();
    const timed = { ...response, at, milliseconds: at - sentAt };
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
        lead.repetitions += (await this.untilAcknowledged('/leads', body)).repetitions;
        lead.step += 1;
      } else if (random.next() < 0.2) await this.create('batch');
      else if (random.next() < 0.3) await this.create('Idempotency-Key');
      else own.push(await this.create('recordSystemId'));
    }
  }

  private async untilAcknowledged(
    path: string,
    body: object,
    headers?: Readonly<Record<string, string>>,
  ) {
    for (let repetitions = 0; !isTestOver; repetitions++) {
      const { status, body: received } = await this.post(body, headers, { path });
      if (received !== undefined && status < 300) return { body: received, repetitions };
      // A retry cannot fix other statuses, so the test ends and shows the responses.
      if (status >= 400 && status < 500 && status !== 409) {
        throw new Error(`A lead was refused with ${status}: ${JSON.stringify(body)}`);
      }
      await delay(25);
    }
    throw new Error('The test ended before the load.');
  }
}
