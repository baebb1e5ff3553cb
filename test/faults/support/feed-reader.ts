import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Db, Document, ObjectId } from 'mongodb';
import type { Tenant } from '../../support/builders.js';
import { eventually } from '../../support/eventually.js';
import { send } from '../../support/service-process.js';

/** Reads a feed as a partner does: by `next`, waiting at the end, from whichever instance answers. */
export class FeedReader {
  readonly events: Document[] = [];
  /** Responses that no reader may get. */
  readonly unexpected: string[] = [];
  private readonly reading: Promise<void>;
  private isStopped = false;
  private next = 0;
  private turn = 0;

  constructor(
    private readonly urls: () => readonly string[],
    private readonly tenant: Tenant,
  ) {
    this.reading = this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.reading;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const urls = this.urls();
      const url = urls[this.turn++ % urls.length];
      const page = url === undefined ? undefined : await this.read(url).catch(() => undefined);
      if (page === undefined) {
        await delay(50);
        continue;
      }
      this.events.push(...page['data']);
      this.next = page['next'];
    }
  }

  private async read(url: string): Promise<Document | undefined> {
    const path = `/events?after=${this.next}&limit=50&wait=1`;
    const { status, body } = await send(url, { method: 'GET', path, key: this.tenant.key });
    if (status === 200) return body;
    if (status !== 503) this.unexpected.push(`${status} ${body.message}`);
    return undefined;
  }
}

/** Waits until a reader has all stored events of an organization, each once, in their order and without gaps. */
export async function expectAllRead(
  db: Db,
  organizationId: ObjectId,
  reader: FeedReader,
  withinMs: number,
): Promise<void> {
  const stored = db.collection('outboxEvents');
  const count = await stored.countDocuments({ organizationId });
  await eventually(() => expect(reader.events.length).toBeGreaterThanOrEqual(count), withinMs);
  await reader.stop();
  const events = await stored.find({ organizationId }).sort({ sequence: 1 }).toArray();
  expect(reader.unexpected).toEqual([]);
  expect(reader.events.map(({ sequence, id }) => [sequence, id])).toEqual(
    events.map(({ _id }, index) => [index + 1, `msg_${_id.toHexString()}`]),
  );
}

/** The steps of a lead in the order of a feed. */
export function stepsOf(marker: string, events: readonly Document[]): number[] {
  return events
    .filter(({ type, data }) => type.startsWith('lead.') && data.data.marker === marker)
    .map(({ data }) => data.data.step);
}
