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
  readonly setting: RetentionSetting;
  /** Replaces a lower value of the setting. */
  readonly minimumDays?: number;
  readonly extraDays?: number;
  /** Delay between the end of the retention and the removal. */
  readonly marginSeconds?: number;
  readonly storesRemoval?: true;
}

export interface RetentionState {
  readonly kind: string;
  readonly collection: string;
  readonly variable: string;
  /** Null for forever. */
  readonly keptSeconds: number | null;
  readonly isCurrent: boolean;
}

export type RetentionIndexOptions = IndexOptions & { readonly retention?: Retention };

/** Declares a TTL index; a record without the time in the key stays. */
export function expireAfter(
  schema: { index(key: IndexDefinition, options: IndexOptions): unknown },
  key: IndexDefinition,
  retention: Retention,
  options: IndexOptions = { name: 'expiry' },
): void {
  const withRetention: RetentionIndexOptions = { ...options, retention };
  schema.index(key, withRetention);
}

/** Null for forever. */
export function keptSeconds(
  { setting, minimumDays = 0, extraDays = 0 }: Retention,
  environment: Environment,
): number | null {
  const value = environment[setting];
  if (value === undefined) return null;
  const seconds = value * (setting.endsWith('_HOURS') ? hourSeconds : daySeconds);
  return Math.max(seconds, minimumDays * daySeconds) + extraDays * daySeconds;
}

/** Seconds from the time in the index to the removal; null for never. */
export function ttlSeconds(retention: Retention, environment: Environment): number | null {
  const kept = keptSeconds(retention, environment);
  if (kept === null) return null;
  return retention.storesRemoval ? 0 : kept + (retention.marginSeconds ?? 0);
}
