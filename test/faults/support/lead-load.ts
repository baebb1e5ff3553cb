import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { basePath } from '../../support/shared-service.js';
import type { RandomNumbers } from './fault-rounds.js';

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

type StoredLead = Pick<KnownLead, '_id' | 'leadId'>;

/** One response, or that there was none. */
export interface Answer {
  /** HTTP status; 0 when the connection was refused or cut. */
  readonly status: number;
  /** Code of the error on the connection. */
  readonly error?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: { readonly lead: StoredLead };
  readonly sentAt: number;
  readonly milliseconds: number;
}

/** How a lead is made recognizable when its creation is repeated. */
export type Identity = 'recordSystemId' | 'Idempotency-Key';

export interface LoadOptions {
  /** Addresses of the instances as they are now; it may be empty for a while. */
  readonly urls: () => readonly string[];
  readonly apiKey: string;
  readonly random: RandomNumbers;
}

let lastLead = 0;
let isOver = false;

/** A failed test must not leave its callers running. */
afterAll(() => {
  isOver = true;
});

/**
 * Callers that create and update leads, retry until acknowledged, and record the responses. Each lead belongs to one caller, who updates it step by step.
 */
export class LeadLoad {
  /** Every lead whose creation was acknowledged. */
  readonly leads: KnownLead[] = [];
  /** Every answer, in the order in which they came. */
  readonly answers: Answer[] = [];
  /** Called with each answer as it comes. */
  onAnswer: (answer: Answer) => void = () => undefined;
  private readonly agent = new Agent({ keepAlive: true });
  private clients: Promise<void>[] = [];
  private isStopped = false;
  private turn = 0;

  constructor(private readonly options: LoadOptions) {}

  /** Acknowledged changes: each one has stored something. */
  get acknowledged(): number {
    return this.leads.reduce((sum, { step }) => sum + 1 + step, 0);
  }

  /** Lets a number of callers begin. */
  start(clients: number): void {
    this.isStopped = false;
    this.clients = Array.from({ length: clients }, () => this.run());
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
    this.agent.destroy();
  }

  /** Creates a lead, again and again until that is acknowledged. */
  async create(identity: Identity): Promise<KnownLead> {
    const number = ++lastLead;
    const marker = `lead-${number}`;
    const phoneNumber = `010${String(number).padStart(8, '0')}`;
    const recordSystemId = identity === 'recordSystemId' ? { recordSystemId: marker } : {};
    const body = { ...recordSystemId, name: marker, phoneNumber, data: { marker, step: 0 } };
    const headers = identity === 'recordSystemId' ? {} : { 'idempotency-key': marker };
    const { lead: stored, repetitions } = await this.untilAcknowledged(body, headers);
    const { _id, leadId } = stored;
    const lead = { marker, ...recordSystemId, _id, leadId, step: 0, repetitions };
    this.leads.push(lead);
    return lead;
  }

  /** Makes the next step of a lead that has a recordSystemId, until that is acknowledged. */
  async update(lead: KnownLead): Promise<void> {
    const step = lead.step + 1;
    const { recordSystemId } = lead;
    const { repetitions } = await this.untilAcknowledged({ recordSystemId, data: { step } });
    lead.step = step;
    lead.repetitions += repetitions;
  }

  /** The answers that say something else than acknowledged, unavailable or still running. */
  unexpected(): Answer[] {
    return this.answers.filter(({ status }) => ![200, 201, 0, 503, 409].includes(status));
  }

  /** Sends a request once. */
  async post(
    body: object,
    headers: Readonly<Record<string, string>> = {},
    url = this.nextUrl(),
  ): Promise<Answer> {
    const sentAt = performance.now();
    const answer = await this.exchange(url, JSON.stringify(body), headers);
    const timed = { ...answer, sentAt, milliseconds: performance.now() - sentAt };
    this.answers.push(timed);
    this.onAnswer(timed);
    return timed;
  }

  private async run(): Promise<void> {
    const { random } = this.options;
    const own: KnownLead[] = [];
    while (!this.isStopped) {
      const lead = own[random.below(own.length)];
      if (lead !== undefined && random.next() < 0.4) await this.update(lead);
      else if (random.next() < 0.4) await this.create('Idempotency-Key');
      else own.push(await this.create('recordSystemId'));
    }
  }

  private async untilAcknowledged(
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly lead: StoredLead; readonly repetitions: number }> {
    for (let repetitions = 0; !isOver; repetitions++) {
      const { status, body: received } = await this.post(body, headers);
      if (received !== undefined && (status === 200 || status === 201)) {
        return { lead: received.lead, repetitions };
      }
      // A retry cannot fix other statuses; the responses show them, and the test ends.
      if (status >= 400 && status < 500 && status !== 409) {
        throw new Error(`A lead was refused with ${status}: ${JSON.stringify(body)}`);
      }
      await delay(25);
    }
    throw new Error('The test ended before the load.');
  }

  private nextUrl(): string | undefined {
    const urls = this.options.urls();
    return urls[this.turn++ % urls.length];
  }

  private exchange(
    url: string | undefined,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Pick<Answer, 'status' | 'error' | 'headers' | 'body'>> {
    if (url === undefined) return Promise.resolve({ status: 0, error: 'no instance', headers: {} });
    return new Promise((resolve) => {
      const cut = (error: NodeJS.ErrnoException) =>
        resolve({ status: 0, error: error.code ?? error.message, headers: {} });
      const sent = request(
        `${url}/${basePath}/leads`,
        {
          method: 'POST',
          agent: this.agent,
          headers: {
            'api-key': this.options.apiKey,
            'content-type': 'application/json',
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('error', cut);
          response.on('end', () => {
            const { statusCode: status = 0, headers: received } = response;
            resolve({ status, headers: received, body: JSON.parse(text) as Answer['body'] & {} });
          });
        },
      );
      sent.on('error', cut);
      sent.end(body);
    });
  }
}

/** How many answers there were of each status. */
export function statusCounts(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The longest that a caller waited for an answer, in milliseconds. */
export function longestWait(answers: readonly Answer[]): number {
  return Math.round(Math.max(0, ...answers.map(({ milliseconds }) => milliseconds)));
}
