import type { IndexDefinition, IndexOptions } from 'mongoose';
import type { Environment } from '../../configuration/environment.js';

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

type RetentionSetting = Extract<
  keyof Environment,
  `${string}_RETENTION_${'DAYS' | 'HOURS'}` | 'REQUEST_LOG_DAYS'
>;

/** How long the database keeps the records of a collection (rule DATA-11). */
export interface Retention {
  readonly kind: string;
  /** The setting that says how long; for ever while it is not set. */
  readonly setting: RetentionSetting;
  /** A shorter setting counts as so many days. */
  readonly minimumDays?: number;
  /** How many days more than the setting says records are kept. */
  readonly extraDays?: number;
  /** How much later than that the database removes them. */
  readonly marginSeconds?: number;
  /** Each record stores the time at which it is removed. */
  readonly storesRemoval?: true;
}

/** How long records are to be kept, and whether the database does so. */
export interface RetentionState {
  readonly kind: string;
  readonly collection: string;
  readonly variable: string;
  /** Null for ever. */
  readonly keptSeconds: number | null;
  readonly isCurrent: boolean;
}

/** The options of a schema's index, one that removes records included. */
export type RetentionIndexOptions = IndexOptions & { readonly retention?: Retention };

/**
 * Declares the index by which the database removes records some time after they are finished. A record
 * that lacks the time in the key stays.
 */
export function removeAfter(
  schema: { index(key: IndexDefinition, options: IndexOptions): unknown },
  key: IndexDefinition,
  retention: Retention,
  options: IndexOptions = { name: 'expiry' },
): void {
  const withRetention: RetentionIndexOptions = { ...options, retention };
  schema.index(key, withRetention);
}

/** How long records are kept; null for ever. */
export function keptSeconds(
  { setting, minimumDays = 0, extraDays = 0 }: Retention,
  environment: Environment,
): number | null {
  const value = environment[setting];
  if (value === undefined) return null;
  const seconds = value * (setting.endsWith('_HOURS') ? hourSeconds : daySeconds);
  return Math.max(seconds, minimumDays * daySeconds) + extraDays * daySeconds;
}

/** How long after the time in the index records are removed; null for never. */
export function removedAfterSeconds(retention: Retention, environment: Environment): number | null {
  const kept = keptSeconds(retention, environment);
  if (kept === null) return null;
  return retention.storesRemoval ? 0 : kept + (retention.marginSeconds ?? 0);
}
