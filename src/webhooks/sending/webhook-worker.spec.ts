import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { readEnvironment } from '../../core/configuration/environment.js';
import { type Pace, paceAfter, placeMs } from '../deliveries/delivery-outcome.js';
import type { Budget } from '../deliveries/delivery-documents.js';
import type { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import type { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import type { DeliveryAttemptRunner, LeasedDelivery } from './delivery-attempt-runner.js';
import { WebhookWorker } from './webhook-worker.js';

/** How long attempts to a kind of receiver take, and whether they are delivered. */
const kinds = {
  good: { milliseconds: 50, statusCode: 204 },
  late: { milliseconds: 14_000, statusCode: 204 },
  dripping: { milliseconds: 1_010, statusCode: 200 },
  hanging: { milliseconds: 15_000, statusCode: null },
  largeHanging: { milliseconds: 15_000, statusCode: null },
  largeGood: { milliseconds: 50, statusCode: 204 },
};
type Kind = keyof typeof kinds;
/** The bytes of deliveries that are large. */
const sizes: Partial<Record<Kind, number>> = { largeHanging: 8 * 1_048_576, largeGood: 100_000 };

const databaseMs = 5;
const retryMs = 20_000;

interface SimulatedDelivery {
  readonly _id: Types.ObjectId;
  readonly endpointId: Types.ObjectId;
  readonly kind: Kind;
  readonly createdAt: number;
  nextAttemptAt: number;
}

/** A worker on a queue in memory and with receivers that take simulated time. */
class Simulation {
  readonly lags: number[] = [];
  /** When attempts began. */
  readonly starts: number[] = [];
  readonly paces = new Map<string, Pace>();
  /** Until when receivers want nothing. */
  pausedUntil = new Date(0);
  isEnabled = true;
  /** Whether the database does not respond. */
  isDown = false;
  mostOpen = 0;
  /** How many leases were asked for, and how many deliveries were given back. */
  leases = 0;
  givenBack = 0;
  private open = 0;
  private now = 0;
  private readonly steps: { readonly at: number; readonly run: () => void }[] = [];
  private readonly pending = new Set<SimulatedDelivery>();

  /** Begins with what is stored: the paces, and what waits. The worker before it is killed. */
  newWorker(): WebhookWorker {
    this.steps.length = 0;
    this.open = 0;
    const queue = {
      endpointsDue: (now: Date) => this.inDatabase(() => this.endpointsDue(0, +now)),
      endpointsDueSince: (since: Date, now: Date) =>
        this.inDatabase(() => ({
          endpointIds: this.endpointsDue(+since, +now),
          hasMore: false,
        })),
      lease: (id: Types.ObjectId, { until }: { until: Date }, limit: number, budget: Budget) =>
        this.inDatabase(() => this.lease(id, +until, limit, budget)),
    } as unknown as DeliveryQueueRepository;
    const endpoints = {
      findById: (_id: Types.ObjectId) =>
        this.inDatabase(() => ({
          _id,
          isEnabled: this.isEnabled,
          pausedUntil: this.pausedUntil,
        })),
      findPaces: () => this.inDatabase(() => this.paces),
    } as unknown as WebhookEndpointsRepository;
    const runner = {
      run: (leased: LeasedDelivery, _signal: AbortSignal, leavePlace: () => void) =>
        this.attempt(leased.delivery as unknown as SimulatedDelivery, leavePlace),
      release: (deliveries: readonly SimulatedDelivery[]) =>
        this.inDatabase(() => {
          this.givenBack += deliveries.length;
          for (const delivery of deliveries) delivery.nextAttemptAt = this.now;
        }),
    } as unknown as DeliveryAttemptRunner;
    const environment = readEnvironment({ WEBHOOKS_CONCURRENCY: '64' });
    const clock = { now: () => new Date(this.now) };
    const giveUps = { giveUpBatch: () => this.inDatabase(() => false) } as never;
    return new WebhookWorker(environment, queue, endpoints, runner, giveUps, clock);
  }

  /** Events for all endpoints every two seconds. */
  async run(worker: WebhookWorker, endpoints: readonly [Types.ObjectId, Kind][], seconds: number) {
    const end = this.now + seconds * 1_000;
    for (let at = this.now; at < end; at += 500) {
      this.plan(at, () => {
        if (at % 2_000 === 0) this.publish(endpoints);
        worker.deliverDue().catch(() => undefined);
      });
    }
    while (this.steps.length > 0) {
      const step = this.steps[0];
      if (step === undefined || step.at >= end) break;
      this.steps.shift();
      this.now = step.at;
      step.run();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.now = end;
  }

  private publish(endpoints: readonly [Types.ObjectId, Kind][]): void {
    for (const [endpointId, kind] of endpoints) {
      const times = { createdAt: this.now, nextAttemptAt: this.now };
      this.pending.add({ _id: new Types.ObjectId(), endpointId, kind, ...times });
    }
  }

  private after(milliseconds: number): Promise<void> {
    return new Promise((run) => this.plan(this.now + milliseconds, run));
  }

  private plan(at: number, run: () => void): void {
    const before = this.steps.findLastIndex((step) => step.at <= at);
    this.steps.splice(before + 1, 0, { at, run });
  }

  private async inDatabase<T>(query: () => T): Promise<T> {
    await this.after(databaseMs);
    if (this.isDown) throw new Error('There is no database');
    return query();
  }

  private endpointsDue(since: number, now: number): Types.ObjectId[] {
    const due = [...this.pending].filter(
      ({ nextAttemptAt: at }) => (at > since || since === 0) && at <= now,
    );
    return [...new Map(due.map(({ endpointId: id }) => [id.toHexString(), id])).values()];
  }

  private lease(id: Types.ObjectId, until: number, limit: number, budget: Budget) {
    this.leases += 1;
    const due = [...this.pending].filter(
      ({ endpointId, nextAttemptAt }) => endpointId.equals(id) && nextAttemptAt <= this.now,
    );
    const wanted = due
      .slice(0, limit)
      .map((delivery) => ({ delivery, bytes: sizes[delivery.kind] ?? 1_000 }));
    const unpaid = wanted.findIndex(({ bytes }) => !budget.take(bytes));
    const isCut = unpaid !== -1;
    const leased = isCut ? wanted.slice(0, unpaid) : wanted;
    for (const { delivery } of leased) delivery.nextAttemptAt = until;
    return { leased, hasMore: !isCut && due.length > limit, isCut };
  }

  private async attempt(delivery: SimulatedDelivery, leavePlace: () => void) {
    const { milliseconds, statusCode } = kinds[delivery.kind];
    if (kinds[delivery.kind].milliseconds === 50) this.lags.push(this.now - delivery.createdAt);
    this.starts.push(this.now);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    if (milliseconds > placeMs) this.plan(this.now + placeMs, leavePlace);
    await this.after(milliseconds);
    this.open -= 1;
    const isDelivered = statusCode !== null;
    if (isDelivered) this.pending.delete(delivery);
    else delivery.nextAttemptAt = this.now + retryMs;
    const result = { milliseconds, statusCode } as Parameters<typeof paceAfter>[1];
    const id = delivery.endpointId.toHexString();
    const pace = paceAfter(this.paces.get(id) ?? 'unproven', result);
    this.paces.set(id, pace);
    return { isDelivered, pace };
  }
}

const endpointsOf = (counts: Partial<Record<Kind, number>>): [Types.ObjectId, Kind][] =>
  Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (): [Types.ObjectId, Kind] => [
      new Types.ObjectId(),
      kind as Kind,
    ]),
  );
const p95 = (lags: readonly number[]) =>
  lags.toSorted((a, b) => a - b)[Math.floor(lags.length * 0.95)] ?? NaN;

describe('good endpoints beside 4 slow and 70 hanging ones', () => {
  const good = endpointsOf({ good: 50 });
  const all = [...endpointsOf({ late: 2, dripping: 2, hanging: 70 }), ...good];

  it('wait at most 1.5 times as long as without them, also after a restart', async () => {
    const alone = new Simulation();
    await alone.run(alone.newWorker(), good, 60);
    const beside = new Simulation();
    await beside.run(beside.newWorker(), all, 60);
    expect(beside.lags).toHaveLength(alone.lags.length);
    expect(p95(beside.lags)).toBeLessThanOrEqual(1.5 * p95(alone.lags));
    const before = beside.lags.length;
    await beside.run(beside.newWorker(), all, 20);
    expect(beside.lags.length - before).toBe(50 * 10);
    expect(Math.max(...beside.lags.slice(before))).toBeLessThanOrEqual(1.5 * p95(alone.lags));
  });

  it('do not even wait two seconds while nothing is known of any of them', async () => {
    const beside = new Simulation();
    await beside.run(beside.newWorker(), all, 10);
    expect(Math.max(...beside.lags)).toBeLessThan(2_000);
    expect(beside.mostOpen).toBeLessThanOrEqual(4 * 64);
  });
});

it('an endpoint of which nothing is known gets one attempt at a time, by whomever it is found', async () => {
  const simulation = new Simulation();
  const [endpoint] = endpointsOf({ hanging: 1 });
  const all = endpoint === undefined ? [] : Array.from({ length: 4 }, () => endpoint);
  const worker = simulation.newWorker();
  // The relay and the look at what is due know nothing of each other.
  for (const [id] of all) void worker.deliverTo([id]);
  await simulation.run(worker, all, 10);
  expect(simulation.starts).toHaveLength(1);
});

it('large deliveries do not wait for those that hang', async () => {
  const simulation = new Simulation();
  const all = endpointsOf({ largeHanging: 20, largeGood: 2 });
  for (const [id, kind] of all) {
    simulation.paces.set(id.toHexString(), kind === 'largeGood' ? 'quick' : 'slow');
  }
  await simulation.run(simulation.newWorker(), all, 60);
  expect(simulation.lags).toHaveLength(2 * 30);
  expect(Math.max(...simulation.lags)).toBeLessThan(1_000);
});

it('a pause ends with one attempt, also where no attempt has failed', async () => {
  const simulation = new Simulation();
  const [endpoint] = endpointsOf({ good: 1 });
  const all = endpoint === undefined ? [] : Array.from({ length: 16 }, () => endpoint);
  const worker = simulation.newWorker();
  await simulation.run(worker, all, 10);
  expect(simulation.mostOpen).toBe(16);
  const before = simulation.starts.length;
  simulation.pausedUntil = new Date(15_000);
  await simulation.run(worker, all, 10);
  const [first = NaN, second] = simulation.starts.slice(before);
  expect(first).toBeGreaterThanOrEqual(15_000);
  expect(second).toBeGreaterThanOrEqual(first + kinds.good.milliseconds);
});

it('an endpoint that was turned off in a pause, and on again, has one limit', async () => {
  const simulation = new Simulation();
  const [endpoint] = endpointsOf({ good: 1 });
  const all = endpoint === undefined ? [] : Array.from({ length: 400 }, () => endpoint);
  const worker = simulation.newWorker();
  await simulation.run(worker, all.slice(0, 1), 4);
  simulation.pausedUntil = new Date(14_000);
  await simulation.run(worker, all, 2);
  simulation.isEnabled = false;
  await simulation.run(worker, all, 2);
  simulation.isEnabled = true;
  simulation.pausedUntil = new Date(0);
  await simulation.run(worker, all, 10);
  expect(simulation.starts.filter((at) => at > 14_000).length).toBeGreaterThan(100);
  expect(simulation.mostOpen).toBe(16);
});

describe('a quick endpoint with much to deliver', () => {
  const [endpoint] = endpointsOf({ good: 1 });
  const many = endpoint === undefined ? [] : Array.from({ length: 1_000 }, () => endpoint);

  it('is leased many deliveries at a time, of which 16 are sent at the same time', async () => {
    const simulation = new Simulation();
    await simulation.run(simulation.newWorker(), many, 1);
    expect(simulation.starts.length).toBeGreaterThan(100);
    await simulation.run(simulation.newWorker(), [], 20);
    expect(simulation.mostOpen).toBe(16);
    expect(simulation.leases).toBeLessThan(50);
    expect(simulation.givenBack).toBe(0);
  });

  it('gets no more of what is leased ahead a second after it was turned off', async () => {
    const kindsNow = kinds as { good: { milliseconds: number; statusCode: number } };
    const { good } = kinds;
    kindsNow.good = { ...good, milliseconds: 240 };
    const simulation = new Simulation();
    const worker = simulation.newWorker();
    await simulation.run(worker, many, 3);
    simulation.isEnabled = false;
    await simulation.run(worker, [], 10);
    kindsNow.good = good;
    expect(simulation.givenBack).toBeGreaterThan(0);
    expect(Math.max(...simulation.starts)).toBeLessThanOrEqual(3_000 + 1_000 + databaseMs);
  });

  it('gets nothing twice for having been leased ahead before the database was away', async () => {
    const kindsNow = kinds as { good: { milliseconds: number; statusCode: number } };
    const { good } = kinds;
    kindsNow.good = { ...good, milliseconds: 240 };
    const simulation = new Simulation();
    const worker = simulation.newWorker();
    await simulation.run(worker, many, 2);
    simulation.isDown = true;
    await simulation.run(worker, [], 70);
    simulation.isDown = false;
    await simulation.run(worker, [], 60);
    kindsNow.good = good;
    expect(simulation.starts).toHaveLength(1_000);
  });

  it('has what is leased ahead given back when it becomes slow', async () => {
    const simulation = new Simulation();
    const worker = simulation.newWorker();
    await simulation.run(worker, many, 1);
    const { good } = kinds;
    const kindsNow = kinds as { good: { milliseconds: number; statusCode: number } };
    kindsNow.good = { ...good, milliseconds: 3_000 };
    await simulation.run(worker, [], 5);
    kindsNow.good = good;
    expect(simulation.givenBack).toBeGreaterThan(0);
    await simulation.run(worker, [], 60);
    // What was given back was sent in the end, each once.
    expect(simulation.starts).toHaveLength(1_000);
  });
});
