import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { type ApiKeyState, permittedOperations } from '../../tenants/keys/api-key-policy.js';
import type { ApiKeyDocument } from '../../tenants/keys/api-key.schema.js';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { type KeyUsage, UsageStatsService } from './usage-stats.service.js';

export type Partner = ReturnType<typeof toPartner>;

const byUrgency = ['silent', 'failing', 'quieter', 'busier', 'new', 'usual', 'unused', 'ended'];
const noCalls = {
  state: 'unused',
  week: Array.from({ length: 168 }, () => 0),
  calls: 0,
  errors: 0,
  usualCalls: null,
  missedCalls: 0,
  used: {},
  lastHour: null,
} as const;

/** Sorts the most urgent partners first (rule OPS-33). */
@Injectable()
export class PartnersService {
  constructor(
    private readonly stats: UsageStatsService,
    private readonly keys: ApiKeysService,
    private readonly organizations: OrganizationsRepository,
  ) {}

  /** Returns keys with calls in the last four weeks. */
  async list(): Promise<Partner[]> {
    const baselines = await this.stats.baselines();
    return this.partnersOf(await this.keysOf(baselines), baselines);
  }

  /** Also returns active keys without calls. */
  async listAll(): Promise<Partner[]> {
    const [baselines, organizations] = await Promise.all([
      this.stats.baselines(),
      this.organizations.listByName(),
    ]);
    const active = await this.keys.listActive(organizations.map(({ _id }) => _id));
    const all = [...active, ...(await this.keysOf(baselines))];
    const byId = new Map(all.map((key) => [key._id.toHexString(), key]));
    return this.partnersOf([...byId.values()], baselines);
  }

  async find(keyId: string): Promise<Partner | null> {
    const id = parseObjectId(keyId);
    if (id === null) return null;
    const [partner] = await this.partnersOf(
      await this.keys.findByIds([id]),
      await this.stats.baselines(id),
    );
    return partner ?? null;
  }

  private keysOf(baselines: ReadonlyMap<string, KeyUsage>): Promise<ApiKeyDocument[]> {
    return this.keys.findByIds([...baselines.keys()].map((id) => new Types.ObjectId(id)));
  }

  private async partnersOf(
    keys: readonly ApiKeyDocument[],
    baselines: ReadonlyMap<string, KeyUsage>,
  ): Promise<Partner[]> {
    const ids = keys.map(({ organizationId }) => organizationId);
    const organizations = await this.organizations.findAll(ids);
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    const partners = keys.map((key) =>
      toPartner(
        key,
        this.keys.stateOf(key),
        names.get(key.organizationId.toHexString()),
        baselines.get(key._id.toHexString()),
      ),
    );
    return partners.toSorted(
      (a, b) =>
        byUrgency.indexOf(a.state) - byUrgency.indexOf(b.state) ||
        b.calls - a.calls ||
        Number(b.lastCallAt) - Number(a.lastCallAt),
    );
  }
}

function toPartner(
  key: ApiKeyDocument,
  keyState: ApiKeyState,
  organizationName: string | undefined,
  usage: KeyUsage | undefined,
) {
  const { lastHour, ...baseline } = usage ?? noCalls;
  const isActive = keyState === 'active' && organizationName !== undefined;
  return {
    ...baseline,
    keyId: key._id.toHexString(),
    name: key.name ?? '',
    organizationId: key.organizationId.toHexString(),
    organizationName: organizationName ?? '',
    /** `unused`: no calls in four weeks; `ended`: revoked or expired, so silence is expected. */
    state: isActive ? baseline.state : ('ended' as const),
    /** Accurate to a minute, or to an hour if the key has no stored last use. */
    lastCallAt: key.lastUsedAt ?? lastHour,
    expiresAt: key.expiresAt ?? null,
    operations: permittedOperations(key),
    /** True if nobody chose operations for the key. */
    isUnrestricted: (key.permissions?.operations ?? null) === null,
    isSigned: (key.secrets ?? []).length > 0,
  };
}
