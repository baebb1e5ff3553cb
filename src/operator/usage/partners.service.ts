import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { UsageStatsService } from './usage-stats.service.js';
import type { TrafficBaseline, KeyState } from './traffic-baseline.js';

/** An API key that was used in the last four weeks, and how. */
export interface Partner extends Omit<TrafficBaseline, 'state' | 'lastHour'> {
  readonly keyId: string;
  readonly name: string;
  readonly organizationId: string;
  readonly organizationName: string;
  /** `ended`: it is revoked or over, so that its silence is meant. */
  readonly state: KeyState | 'ended';
  /** The last call, to within a minute; where the key does not say it, to within an hour. */
  readonly lastCallAt: Date;
}

const urgency: Readonly<Record<Partner['state'], number>> = {
  silent: 0,
  failing: 1,
  quieter: 2,
  busier: 3,
  new: 4,
  usual: 5,
  ended: 6,
};

/** Those who call, by their keys (rule OPS-33). */
@Injectable()
export class PartnersService {
  constructor(
    private readonly stats: UsageStatsService,
    private readonly keys: ApiKeysService,
    private readonly organizations: OrganizationsRepository,
  ) {}

  /** The keys of the last four weeks, those first that are to be looked at. */
  async list(): Promise<Partner[]> {
    return this.partnersOf(await this.stats.baselines());
  }

  /** The key with an id; null when none has called under it in the last four weeks. */
  async find(keyId: string): Promise<Partner | null> {
    const id = parseObjectId(keyId);
    if (id === null) return null;
    const [partner] = await this.partnersOf(await this.stats.baselines(id));
    return partner ?? null;
  }

  private async partnersOf(baselines: ReadonlyMap<string, TrafficBaseline>): Promise<Partner[]> {
    const found = await this.namesOf([...baselines.keys()]);
    const partners = [...baselines].flatMap(([keyId, { lastHour, ...baseline }]): Partner[] => {
      const key = found.get(keyId);
      if (key === undefined) return [];
      const { isEnded, lastUsedAt, ...names } = key;
      const state = isEnded ? 'ended' : baseline.state;
      return [{ ...baseline, keyId, ...names, state, lastCallAt: lastUsedAt ?? lastHour }];
    });
    return partners.toSorted(
      (a, b) =>
        urgency[a.state] - urgency[b.state] || b.calls - a.calls || +b.lastCallAt - +a.lastCallAt,
    );
  }

  /** What keys are called, by their ids; nothing of those that are none. */
  private async namesOf(keyIds: readonly string[]) {
    const keys = await this.keys.findByIds(keyIds.map((id) => new Types.ObjectId(id)));
    const ids = new Set(keys.map(({ organizationId }) => organizationId.toHexString()));
    const organizations = await this.organizations.findAll(
      [...ids].map((id) => new Types.ObjectId(id)),
    );
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    return new Map(
      keys.map((key) => {
        const organizationId = key.organizationId.toHexString();
        const named = {
          name: key.name ?? '',
          organizationId,
          organizationName: names.get(organizationId) ?? '',
          lastUsedAt: key.lastUsedAt ?? null,
          isEnded: this.keys.stateOf(key) !== 'active' || !names.has(organizationId),
        };
        return [key._id.toHexString(), named];
      }),
    );
  }
}
