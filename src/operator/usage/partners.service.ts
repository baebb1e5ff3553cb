import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Operation } from '../../core/http/operations.js';
import { permittedOperations } from '../../tenants/keys/api-key-policy.js';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { type KeyUsage, UsageStatsService } from './usage-stats.service.js';
import type { KeyState } from './traffic-baseline.js';

export interface Partner extends Omit<KeyUsage, 'state' | 'lastHour'> {
  readonly keyId: string;
  readonly name: string;
  readonly organizationId: string;
  readonly organizationName: string;
  /** `ended`: revoked or expired, so that its silence is expected. */
  readonly state: KeyState | 'ended';
  /** Accurate to a minute; to an hour if the key has no stored time of its last use. */
  readonly lastCallAt: Date;
  readonly expiresAt: Date | null;
  readonly operations: readonly Operation[];
  /** No operations were chosen for the key. */
  readonly isUnrestricted: boolean;
  readonly isSigned: boolean;
}

const byUrgency = ['silent', 'failing', 'quieter', 'busier', 'new', 'usual', 'ended'];

/** Partners by their keys, the most urgent first (rule OPS-33). */
@Injectable()
export class PartnersService {
  constructor(
    private readonly stats: UsageStatsService,
    private readonly keys: ApiKeysService,
    private readonly organizations: OrganizationsRepository,
  ) {}

  async list(): Promise<Partner[]> {
    return this.partnersOf(await this.stats.baselines());
  }

  async find(keyId: string): Promise<Partner | null> {
    const id = parseObjectId(keyId);
    if (id === null) return null;
    const [partner] = await this.partnersOf(await this.stats.baselines(id));
    return partner ?? null;
  }

  private async partnersOf(baselines: ReadonlyMap<string, KeyUsage>): Promise<Partner[]> {
    const keys = await this.keys.findByIds(
      [...baselines.keys()].map((id) => new Types.ObjectId(id)),
    );
    const ids = keys.map(({ organizationId }) => organizationId);
    const organizations = await this.organizations.findAll(ids);
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    const partners = keys.flatMap((key): Partner[] => {
      const keyId = key._id.toHexString();
      const found = baselines.get(keyId);
      if (found === undefined) return [];
      const { lastHour, ...baseline } = found;
      const organizationId = key.organizationId.toHexString();
      const organizationName = names.get(organizationId);
      const isActive = this.keys.stateOf(key) === 'active' && organizationName !== undefined;
      return [
        {
          ...baseline,
          keyId,
          name: key.name ?? '',
          organizationId,
          organizationName: organizationName ?? '',
          state: isActive ? baseline.state : 'ended',
          lastCallAt: key.lastUsedAt ?? lastHour,
          expiresAt: key.expiresAt ?? null,
          operations: permittedOperations(key),
          isUnrestricted: (key.permissions?.operations ?? null) === null,
          isSigned: (key.secrets ?? []).length > 0,
        },
      ];
    });
    return partners.toSorted(
      (a, b) =>
        byUrgency.indexOf(a.state) - byUrgency.indexOf(b.state) ||
        b.calls - a.calls ||
        +b.lastCallAt - +a.lastCallAt,
    );
  }
}
