import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { foldCase } from '../../core/localization/fold-case.js';
import { dayMs, weekMs } from '../../core/values/time.js';
import { EventFeedsRepository } from '../../events/outbox/event-feeds.repository.js';
import type { ApiKeyDocument } from '../../tenants/keys/api-key.schema.js';
import type { Period } from '../../tenants/keys/api-keys.repository.js';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { KeyActivityService } from './key-activity.service.js';
import {
  byUrgency,
  isFailing,
  type Partner,
  type PartnerFacts,
  type PartnerState,
  type PartnerTraffic,
  silentSince,
  toPartner,
  trafficOf,
} from './partner.js';
import { type KeyCalls, UsageService } from './usage.service.js';

export type { Partner, PartnerState, PartnerTraffic } from './partner.js';

/** Every filter except `ended` leaves out ended keys. */
const filters = {
  all: () => true,
  silent: ({ state }) => state === 'silent',
  failing: ({ state }) => state === 'failing',
  reducible: ({ isReducible }) => isReducible,
  readers: ({ feed }) => feed !== null,
  unused: ({ state }) => state === 'unused',
  ended: ({ state }) => state === 'ended',
} as const satisfies Readonly<Record<string, (partner: Partner) => boolean>>;

export type PartnerFilter = keyof typeof filters;

const partnerFilters = Object.keys(filters) as readonly PartnerFilter[];

export interface PartnerSearch {
  /** Part of the name of a key or organization, or of the prefix of a key, or the id of an organization. */
  readonly text?: string | undefined;
  readonly show?: PartnerFilter | undefined;
  /** The first page is 1. */
  readonly page: number;
  readonly pageSize: number;
}

export interface PartnerPage {
  readonly items: readonly Partner[];
  readonly total: number;
  /** Counts the partners that the text matches. */
  readonly counts: Readonly<Record<PartnerFilter, number>>;
}

export type PartnerProblems = Readonly<
  Record<'silent' | 'failing' | 'mostlyIgnored' | 'expiring', readonly PartnerTraffic[]>
>;

/** Leaves enough time to move a partner to another key. */
const expiryNoticeMs = 14 * dayMs;
const isInUse: ReadonlySet<PartnerState> = new Set(['active', 'failing']);

/** A partner is the holder of a key (rule OPS-33). */
@Injectable()
export class PartnersService {
  constructor(
    private readonly usage: UsageService,
    private readonly activity: KeyActivityService,
    private readonly keys: ApiKeysService,
    private readonly organizations: OrganizationsRepository,
    private readonly feeds: EventFeedsRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns the most urgent partners first, or readers of the feed with the most events to read. */
  async list({ text = '', show = 'all', page, pageSize }: PartnerSearch): Promise<PartnerPage> {
    const partners = await this.all();
    const found = partners.filter(matcherOf(text));
    const ofFilter = (filter: PartnerFilter) => found.filter((partner) => isShown(partner, filter));
    const counts = partnerFilters.map((filter) => [filter, ofFilter(filter).length] as const);
    const [from, shown] = [(page - 1) * pageSize, ofFilter(show)];
    const isOrderedByLag = show === 'readers';
    const sorted = isOrderedByLag
      ? (await this.withLag(shown)).toSorted((a, b) => lagOf(b) - lagOf(a))
      : shown.toSorted(byUrgency);
    const items = await this.withActiveDays(sorted.slice(from, from + pageSize));
    return {
      items: isOrderedByLag ? items : await this.withLag(items),
      total: shown.length,
      counts: Object.fromEntries(counts) as Record<PartnerFilter, number>,
    };
  }

  /** @param keyId may be any text */
  async find(keyId: string): Promise<Partner | null> {
    const id = parseObjectId(keyId);
    const [key] = id === null ? [] : await this.keys.findByIds([id]);
    if (key === undefined) return null;
    const [organization, [calls], days, activities] = await Promise.all([
      this.organizations.find(key.organizationId),
      this.usage.keys(this.usage.startOf('day'), [key._id]),
      this.usage.activeDays([key._id]),
      this.activity.findByIds([key._id]),
    ]);
    const facts = {
      key,
      keyState: this.keys.stateOf(key),
      organizationName: organization?.name,
      calls,
      activeDays: days.get(keyId.toLowerCase()) ?? 0,
    };
    const partner = toPartner(facts, activities.get(key._id.toHexString()), this.clock.now());
    const [withLag = null] = await this.withLag([partner]);
    return withLag;
  }

  /** Returns partners with problems, without reading every organization, the most urgent first. */
  async needingAttention(limit: number): Promise<PartnerProblems> {
    const now = this.clock.now();
    const counted = await this.usage.keys(this.usage.startOf('day'));
    const calls = byKeyId(counted.filter((counts) => isFailing(counts) || isMostlyIgnored(counts)));
    const soon = new Date(now.getTime() + expiryNoticeMs);
    const partners = await this.trafficOfKeys(silentSince(now), calls, { from: now, until: soon });
    const those = (isMeant: (partner: PartnerTraffic) => boolean) =>
      partners.filter(isMeant).toSorted(byUrgency).slice(0, limit);
    return {
      silent: those(({ state }) => state === 'silent'),
      failing: those(({ state }) => state === 'failing'),
      mostlyIgnored: those(({ keyId }) => isMostlyIgnored(calls.get(keyId))),
      expiring: those(
        ({ state, expiresAt }) => isInUse.has(state) && expiresAt !== null && expiresAt <= soon,
      ),
    };
  }

  /** Counts silent keys, and those in use that expire soon, without reading every organization. */
  async attentionCounts(): Promise<{ readonly silent: number; readonly expiring: number }> {
    const now = this.clock.now();
    const silent = await this.trafficOfKeys(silentSince(now), new Map());
    const expiring = await this.keys.countExpiring({
      until: new Date(now.getTime() + expiryNoticeMs),
      usedSince: new Date(now.getTime() - weekMs),
    });
    return { silent: silent.filter(({ state }) => state === 'silent').length, expiring };
  }

  /** Counts active days only where they decide about the state, and no events of the feed. */
  private async all(): Promise<Partner[]> {
    const now = this.clock.now();
    const [keys, names, counted, activities] = await Promise.all([
      this.keys.listAll(),
      this.organizations.names(),
      this.usage.keys(this.usage.startOf('day')),
      this.activity.listAll(),
    ]);
    const days = await this.usage.activeDays(this.possiblySilent(keys, now));
    const calls = byKeyId(counted);
    return keys.map((key) => {
      const facts = this.factsOf(key, names, calls, days);
      return toPartner(facts, activities.get(key._id.toHexString()), now);
    });
  }

  /** Returns the traffic of keys that were last used in a time, expire in a time, or have counts. */
  private async trafficOfKeys(
    used: Period,
    calls: ReadonlyMap<string | null, KeyCalls>,
    expiring?: Period,
  ): Promise<PartnerTraffic[]> {
    const now = this.clock.now();
    const keys = await this.keys.listUsedExpiringOrNamed(used, expiring, objectIdsOf(calls));
    const [days, organizations] = await Promise.all([
      this.usage.activeDays(keys.map(({ _id }) => _id)),
      this.organizations.findAll(keys.map(({ organizationId }) => organizationId)),
    ]);
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    return keys.map((key) => trafficOf(this.factsOf(key, names, calls, days), now));
  }

  private factsOf(
    key: ApiKeyDocument,
    names: ReadonlyMap<string, string>,
    calls: ReadonlyMap<string | null, KeyCalls>,
    days: ReadonlyMap<string, number>,
  ): PartnerFacts {
    const keyId = key._id.toHexString();
    return {
      key,
      keyState: this.keys.stateOf(key),
      organizationName: names.get(key.organizationId.toHexString()),
      calls: calls.get(keyId),
      activeDays: days.get(keyId) ?? 0,
    };
  }

  private possiblySilent(keys: readonly ApiKeyDocument[], now: Date): Types.ObjectId[] {
    const { from, until } = silentSince(now);
    const candidates = keys.filter((key) => {
      const { lastUsedAt } = key;
      return lastUsedAt && lastUsedAt >= from && lastUsedAt <= until;
    });
    return candidates.map(({ _id }) => _id);
  }

  private async withActiveDays(partners: readonly Partner[]): Promise<Partner[]> {
    const days = await this.usage.activeDays(
      partners.map(({ keyId }) => new Types.ObjectId(keyId)),
    );
    return partners.map((partner) => ({ ...partner, activeDays: days.get(partner.keyId) ?? 0 }));
  }

  private async withLag(partners: readonly Partner[]): Promise<Partner[]> {
    const readers = partners.filter(({ feed }) => feed !== null);
    if (readers.length === 0) return [...partners];
    const ids = new Set(readers.map(({ organizationId }) => organizationId));
    const last = await this.feeds.lastNumbers([...ids].map((id) => new Types.ObjectId(id)));
    return partners.map((partner) => {
      const { feed, organizationId } = partner;
      if (feed === null) return partner;
      const lag = Math.max(0, (last.get(organizationId) ?? 0) - feed.after);
      return { ...partner, feed: { ...feed, lag } };
    });
  }
}

/** Rule OPS-37. */
function isMostlyIgnored(calls: KeyCalls | undefined): boolean {
  return calls !== undefined && 2 * calls.mostlyIgnored > calls.leads;
}

function isShown(partner: Partner, filter: PartnerFilter): boolean {
  const isEnded = partner.state === 'ended';
  return isEnded === (filter === 'ended') && filters[filter](partner);
}

function matcherOf(text: string): (partner: Partner) => boolean {
  const wanted = foldCase(text.trim());
  return ({ name, prefix, organizationName, organizationId }) =>
    organizationId === wanted ||
    [name, prefix, organizationName].some((value) => foldCase(value).includes(wanted));
}

function lagOf({ feed }: Partner): number {
  return feed?.lag ?? 0;
}

function byKeyId(counted: readonly KeyCalls[]): ReadonlyMap<string | null, KeyCalls> {
  return new Map(counted.map((calls) => [calls.keyId, calls]));
}

function objectIdsOf(calls: ReadonlyMap<string | null, KeyCalls>): Types.ObjectId[] {
  return [...calls.keys()].flatMap((id) => (id === null ? [] : new Types.ObjectId(id)));
}
