import { expect } from '@jest/globals';
import { Clock } from '../../../src/core/configuration/clock.js';
import { startOpsListener } from '../../../src/start.js';
import { WebhookWorker } from '../../../src/webhooks/sending/webhook-worker.js';
import { eventually } from '../../support/eventually.js';
import { startTestService, type TestService } from '../../support/test-service.js';
import { Recording, type Targets } from './recording.js';

const minuteMs = 60_000;

export interface ObservedService extends TestService {
  /** The address of metrics and probes. */
  readonly operations: string;
}

export async function observe(service: TestService): Promise<ObservedService> {
  return { ...service, operations: (await startOpsListener(service.service)) ?? '' };
}

export async function startObserved(
  databaseUri: string,
  variables: Record<string, string> = {},
): Promise<ObservedService> {
  return observe(await startTestService({ OPS_PORT: '0', ...variables }, databaseUri));
}

/** Scrapes services once a minute of their clock, which stands still in between. */
export class Timeline {
  readonly recording = new Recording();
  readonly start = Date.now();
  private elapsedMs = 0;

  constructor(private services: readonly ObservedService[]) {
    for (const { service } of services) {
      service.app.get(Clock).now = () => new Date(this.now());
    }
  }

  now(): number {
    return this.start + this.elapsedMs;
  }

  remove(removed: ObservedService): void {
    this.services = this.services.filter((service) => service !== removed);
  }

  /** @param during runs in each minute before the scrape */
  async pass(minutes: number, during: () => Promise<unknown> = () => Promise.resolve()) {
    for (let minute = 0; minute < minutes; minute++) {
      this.elapsedMs += minuteMs;
      await during();
      const targets: Targets = Object.fromEntries(
        this.services.map(({ operations }, index) => ['ab'.charAt(index), operations]),
      );
      await this.recording.scrape(targets);
    }
  }

  /** Waits until the worker has made all attempts that are due. */
  async deliver({ db, service }: ObservedService): Promise<void> {
    await service.app.get(WebhookWorker).deliverDue();
    const due = { status: 'pending', nextAttemptAt: { $lte: new Date(this.now()) } };
    await eventually(async () => {
      expect(await db.collection('outboxEvents').countDocuments({ sequence: null })).toBe(0);
      expect(await db.collection('webhookDeliveries').countDocuments(due)).toBe(0);
      const leased = { leaseOwner: { $type: 'string' } };
      expect(await db.collection('webhookEndpoints').countDocuments(leased)).toBe(0);
    });
  }
}
