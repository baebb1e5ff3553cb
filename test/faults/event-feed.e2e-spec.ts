import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db, Document } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { kill, type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { type FaultDatabase, startFaultDatabase } from './support/fault-database.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';
import { LeadLoad } from './support/lead-load.js';

/** Until another instance takes over numbering (rule HOOK-9), with tolerance for a busy machine. */
const takeoverMs = 15_000;

let database: FaultDatabase;
let db: Db;

beforeAll(async () => {
  database = await startFaultDatabase();
  ({ db } = database);
});
afterAll(() => database.stop());

/** Reads a feed as a partner does: by `next`, waiting at the end, from whichever instance answers. */
class FeedReader {
  readonly events: Document[] = [];
  /** Violations that no reader may see. */
  readonly unexpected: string[] = [];
  /** The longest time in which nothing new came, in milliseconds. */
  longestPause = 0;
  private readonly reading: Promise<void>;
  private isStopped = false;
  private next = 0;
  private turn = 0;

  constructor(
    private readonly urls: () => readonly string[],
    private readonly key: string,
  ) {
    this.reading = this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.reading;
  }

  private async run(): Promise<void> {
    let cameAt = performance.now();
    while (!this.isStopped) {
      const urls = this.urls();
      const url = urls[this.turn++ % urls.length];
      const page = url === undefined ? undefined : await this.read(url).catch(() => undefined);
      if (page === undefined) {
        await delay(50);
        continue;
      }
      if (page['data'].length === 0) continue;
      this.longestPause = Math.max(this.longestPause, performance.now() - cameAt);
      cameAt = performance.now();
      this.events.push(...page['data']);
      this.next = page['next'];
    }
  }

  private async read(url: string): Promise<Document | undefined> {
    const response = await fetch(`${url}/${basePath}/events?after=${this.next}&limit=50&wait=1`, {
      headers: { 'api-key': this.key },
    });
    const body = (await response.json()) as Document;
    if (response.status === 200) return body;
    if (response.status !== 503) this.unexpected.push(`${response.status} ${body['message']}`);
    return undefined;
  }
}

describe('the event feed while instances are killed', () => {
  it('returns every event exactly once, in order and without gaps', async () => {
    const variables = { MONGODB_URI: database.uri };
    const kills = faultRounds(2, 60);
    const random = randomNumbers();
    const permissions = { allowExternal: true, readEvents: true };
    const tenant = await addTenant(db, { key: { permissions } });
    const { organizationId } = tenant;
    const instances: (ServiceProcess | undefined)[] = await Promise.all(
      [1, 2].map(() => startProcess(variables)),
    );
    const urls = () => instances.flatMap((one) => (one === undefined ? [] : [one.url]));
    const readers = [1, 2].map(() => new FeedReader(urls, tenant.key));
    const load = new LeadLoad({ urls, apiKey: tenant.key, random });
    load.start(6);
    for (let round = 0; round < kills; round++) {
      await load.further(20 + random.below(60));
      await delay(random.below(200));
      const index = random.below(2);
      const victim = instances[index];
      instances[index] = undefined;
      if (victim !== undefined) await kill(victim);
      await load.further(30);
      instances[index] = await startProcess(variables);
    }
    await load.further(30);
    await load.stop();
    const stored = () =>
      db.collection('outboxEvents').find({ organizationId }).sort({ sequence: 1 }).toArray();
    await eventually(async () => {
      expect((await stored()).filter(({ sequence }) => !(sequence > 0))).toEqual([]);
    }, takeoverMs);
    const expected = (await stored()).map(({ _id }) => `msg_${_id.toHexString()}`);
    for (const reader of readers) {
      await eventually(() => expect(reader.events).toHaveLength(expected.length), takeoverMs);
      await reader.stop();
      expect(reader.unexpected).toEqual([]);
      expect(reader.events.map(({ sequence }) => sequence)).toEqual(
        expected.map((_, index) => index + 1),
      );
      expect(reader.events.map(({ id }) => id)).toEqual(expected);
    }
    // Changes of a lead are in order, even when different instances made them.
    const [reader] = readers;
    const steps = new Map<string, number>();
    for (const { type, data } of reader?.events ?? []) {
      if (!String(type).startsWith('lead.')) continue;
      const { marker, step } = data.data;
      expect([marker, step]).toEqual([marker, (steps.get(marker) ?? -1) + 1]);
      steps.set(marker, step);
    }
    expect(steps.size).toBe(load.leads.length);
    for (const { marker, step } of load.leads) expect(steps.get(marker)).toBe(step);
    report(
      `${kills} kills, ${load.acknowledged} changes acknowledged, ${expected.length} events, seed ` +
        `${random.seed}; the longest pause of a reader ` +
        `${Math.round(Math.max(...readers.map(({ longestPause }) => longestPause)))} ms`,
    );
    for (const instance of instances) if (instance !== undefined) await kill(instance);
  });
});
