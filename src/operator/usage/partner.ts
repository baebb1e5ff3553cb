import { dayMs, weekMs } from '../../core/values/time.js';
import {
  type ApiKeyState,
  permittedOperations,
  visibilityOf,
} from '../../tenants/keys/api-key-policy.js';
import type { ApiKeyDocument } from '../../tenants/keys/api-key.schema.js';
import type { Operation, Visibility } from '../../tenants/keys/operations.js';
import { asText, asTexts } from '../../core/values/text.js';
import type { CallSummary } from './call-counts.js';
import type { KeyActivity, UsedOperation } from './key-activity.service.js';

/** The most urgent first. */
export const partnerStates = ['silent', 'failing', 'active', 'unused', 'ended'] as const;

export type PartnerState = (typeof partnerStates)[number];

/** A silent key was used on at least this many of the last seven days (rule OPS-33). */
const regularDays = 5;
const unusedMs = 28 * dayMs;
const minErrors = 10;
const maxErrorShare = 0.2;

export interface PartnerTraffic {
  readonly keyId: string;
  readonly name: string;
  readonly organizationId: string;
  /** Empty if the organization is gone. */
  readonly organizationName: string;
  readonly state: PartnerState;
  /** Accurate to a minute. */
  readonly lastCallAt: Date | null;
  /** These three count the last 24 hours. */
  readonly calls: number;
  readonly refused: number;
  readonly failed: number;
  /** Of the last seven periods of 24 hours, those with a call. */
  readonly activeDays: number;
  readonly expiresAt: Date | null;
}

export interface Partner extends PartnerTraffic {
  readonly prefix: string;
  readonly operations: readonly Operation[];
  /** True if nobody chose operations for the key. */
  readonly isUnrestricted: boolean;
  readonly usedOperations: readonly UsedOperation[];
  /** Permitted operations that were not used in the last 28 days. */
  readonly unusedOperations: readonly Operation[];
  /** The key is in use, but not for all that it permits. */
  readonly isReducible: boolean;
  readonly isSigned: boolean;
  readonly origins: readonly string[];
  readonly visibility: Visibility;
  readonly addresses: readonly string[];
  readonly feed: PartnerFeed | null;
}

export interface PartnerFeed {
  readonly after: number;
  readonly at: Date;
  /** Events of the organization after this position. */
  readonly lag: number;
}

export interface PartnerFacts {
  readonly key: ApiKeyDocument;
  readonly keyState: ApiKeyState;
  /** Undefined if the organization is gone. */
  readonly organizationName: string | undefined;
  /** Undefined without calls. */
  readonly calls: Pick<CallSummary, 'calls' | 'refused' | 'failed'> | undefined;
  readonly activeDays: number;
}

export function trafficOf(facts: PartnerFacts, now: Date): PartnerTraffic {
  const { key, organizationName = '', activeDays } = facts;
  const { calls = 0, refused = 0, failed = 0 } = facts.calls ?? {};
  return {
    keyId: key._id.toHexString(),
    name: asText(key.name),
    organizationId: key.organizationId.toHexString(),
    organizationName,
    state: stateOf(facts, now),
    lastCallAt: key.lastUsedAt ?? null,
    calls,
    refused,
    failed,
    activeDays,
    expiresAt: key.expiresAt ?? null,
  };
}

/** Leaves the lag of the feed to the caller, who reads the events of several organizations at once. */
export function toPartner(
  facts: PartnerFacts,
  activity: KeyActivity | undefined,
  now: Date,
): Partner {
  const { key } = facts;
  const { usedOperations = [], feed = null, since = null } = activity ?? {};
  const operations = permittedOperations(key);
  const used = new Set(
    usedOperations
      .filter(({ lastUsedAt }) => isWithin(unusedMs, lastUsedAt, now))
      .map(({ operation }) => operation),
  );
  const unusedOperations = operations.filter((operation) => !used.has(operation));
  const traffic = trafficOf(facts, now);
  return {
    ...traffic,
    prefix: asText(key.prefix),
    operations,
    isUnrestricted: (key.permissions?.operations ?? null) === null,
    usedOperations,
    unusedOperations,
    isReducible:
      isKnownToBeUsed(traffic, since, now) && used.size > 0 && unusedOperations.length > 0,
    isSigned: (key.secrets ?? []).length > 0,
    origins: asTexts(key.permissions?.origins),
    visibility: visibilityOf(key),
    addresses: asTexts(key.permissions?.addresses),
    feed: feed && { ...feed, lag: 0 },
  };
}

/** Without a week of notes, an operation may be in use though none was noted. */
function isKnownToBeUsed(
  { state, lastCallAt }: PartnerTraffic,
  notedSince: Date | null,
  now: Date,
): boolean {
  const isInUse = state !== 'ended' && isWithin(unusedMs, lastCallAt, now);
  return isInUse && notedSince !== null && !isWithin(weekMs, notedSince, now);
}

export function isFailing({
  calls,
  refused,
  failed,
}: Pick<CallSummary, 'calls' | 'refused' | 'failed'>): boolean {
  const errors = refused + failed;
  return errors >= minErrors && errors > maxErrorShare * calls;
}

/** Returns the times of last use that a silent key can have: used on five of seven days, and not for a day. */
export function silentSince(now: Date): { readonly from: Date; readonly until: Date } {
  const time = now.getTime();
  return { from: new Date(time - (8 - regularDays) * dayMs), until: new Date(time - dayMs) };
}

/** Sorts the most urgent partners first (rule OPS-33). */
export function byUrgency(a: PartnerTraffic, b: PartnerTraffic): number {
  return (
    partnerStates.indexOf(a.state) - partnerStates.indexOf(b.state) ||
    b.calls - a.calls ||
    Number(b.lastCallAt) - Number(a.lastCallAt) ||
    a.name.localeCompare(b.name)
  );
}

function stateOf(
  { key, keyState, organizationName, calls, activeDays }: PartnerFacts,
  now: Date,
): PartnerState {
  if (keyState !== 'active' || organizationName === undefined) return 'ended';
  const lastUsedAt = key.lastUsedAt ?? null;
  if (activeDays >= regularDays && !isWithin(dayMs, lastUsedAt, now)) return 'silent';
  if (calls !== undefined && isFailing(calls)) return 'failing';
  return isWithin(unusedMs, lastUsedAt, now) ? 'active' : 'unused';
}

function isWithin(milliseconds: number, time: Date | null, now: Date): boolean {
  return time !== null && now.getTime() - time.getTime() < milliseconds;
}
