import type { Pace } from '../deliveries/delivery-outcome.js';
import type { Budget } from '../deliveries/delivery-documents.js';
import type { Batcher } from './batcher.js';
import type { LeasedDelivery } from './delivery-attempt-runner.js';

/** What is leased ahead is sent for so long after a look at the endpoint: it may be off by then. */
const readyMs = 1_000;

/** A leased delivery with what it takes of a budget. */
export interface PaidDelivery extends LeasedDelivery {
  readonly bytes: number;
  readonly budget: Budget;
}

/** What this process delivers to one endpoint. */
export interface EndpointDeliveries {
  readonly leases: Batcher<void, PaidDelivery>;
  /** What is leased and waits for a place; only a quick endpoint has such deliveries. */
  readonly ahead: PaidDelivery[];
  /** When it was known last that the endpoint is enabled and not paused. */
  readyAt: Date;
  readonly budgets: Readonly<Record<Pace, Budget>>;
  pace: Pace;
  /** How many may run at the same time. */
  limit: number;
  /** How many are running. */
  active: number;
  /** Whether something may be due that is not running. */
  mayHaveDue: boolean;
}

/** Whether an endpoint was enabled and not paused a moment ago. */
export function isReady({ readyAt }: EndpointDeliveries, now: Date): boolean {
  const passed = now.getTime() - readyAt.getTime();
  return passed >= 0 && passed < readyMs;
}

/** Whether an endpoint may have something for another place. */
export function hasWork({ ahead, mayHaveDue }: EndpointDeliveries): boolean {
  return ahead.length > 0 || mayHaveDue;
}
