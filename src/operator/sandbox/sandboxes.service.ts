import { Inject, Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import type { ApiKeyDocument } from '../../tenants/keys/api-key.schema.js';
import { permittedOperations } from '../../tenants/keys/api-key-policy.js';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import {
  type KeyPurpose,
  keyPurposes,
  type Operation,
  type PurposePermissions,
} from '../../tenants/keys/permissions.js';
import { toOrganization } from '../../tenants/organizations/organization.js';
import type { OrganizationDocument } from '../../tenants/organizations/organization.schema.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { SandboxEmptyingService } from './sandbox-emptying.service.js';
import {
  type OriginKeys,
  SandboxFillingService,
  type SandboxReservationIds,
} from './sandbox-filling.service.js';

/** Another process may continue after one that died this long ago, in ms. */
const leaseMs = 10_000;

interface SandboxOptions {
  /** Address at which partners reach the service, which serves the pictures of the catalogue. */
  readonly url?: string | undefined;
  readonly keysExpireAt?: Date;
}

interface NewSandbox extends SandboxOptions {
  readonly name: string;
  readonly _id?: Types.ObjectId;
}

interface Subject {
  readonly _id: Types.ObjectId;
  readonly name?: string | undefined;
}

export interface Sandbox {
  readonly organizationId: Types.ObjectId;
  readonly reservations: SandboxReservationIds;
}

export interface SandboxKeys {
  /** Keys are stored nowhere, so only their issue returns them. */
  readonly keys: ReadonlyMap<KeyPurpose, string>;
  readonly signedCollector: { readonly key: string; readonly signingSecret: string };
}

/** Creates and resets organizations in which partners try the API (rules OPS-38 and OPS-39). */
@Injectable()
export class SandboxesService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly apiKeys: ApiKeysService,
    private readonly emptying: SandboxEmptyingService,
    private readonly filling: SandboxFillingService,
    private readonly leases: Leases,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Leaves no usable organization if it fails. */
  async create({ name, _id, ...options }: NewSandbox): Promise<Sandbox & SandboxKeys> {
    const fields = this.fieldsOf(options);
    const organization = await this.organizations.create({ ...(_id && { _id }), name, ...fields });
    try {
      const issued = await this.issueKeys(organization._id, options.keysExpireAt ?? null);
      return { ...issued, ...(await this.refill(organization, { isEmpty: true })) };
    } catch (error) {
      await this.delete(organization._id).catch(() => undefined);
      throw error;
    }
  }

  /** Fills a sandbox again whose creation was interrupted, and replaces its keys, which nobody has seen. */
  async complete(
    organization: OrganizationDocument,
    options: SandboxOptions,
  ): Promise<Sandbox & SandboxKeys> {
    const { _id, sandbox } = organization;
    if (sandbox === undefined) await this.organizations.update(_id, this.fieldsOf(options));
    await this.revokeKeys(_id);
    const issued = await this.issueKeys(_id, options.keysExpireAt ?? null);
    return { ...issued, ...(await this.reset(organization)) };
  }

  /**
   * Deletes the contents and stores those of a new sandbox; keys, webhook endpoints and the feed stay. Repeating it
   * finishes an interrupted reset.
   *
   * @throws Error when the organization is no sandbox, or another process resets it
   */
  async reset(organization: Subject): Promise<Sandbox> {
    return this.refill(organization);
  }

  async delete(organizationId: Types.ObjectId): Promise<void> {
    await this.revokeKeys(organizationId);
    await this.organizations.delete(organizationId);
  }

  private async refill({ _id, name = '' }: Subject, { isEmpty = false } = {}): Promise<Sandbox> {
    const lease = this.leases.create(`sandbox ${_id.toHexString()}`, leaseMs);
    if (!(await lease.acquire())) {
      throw new Error(`Another process resets ${name}. Wait until it ends, then try again.`);
    }
    try {
      const organization = await this.organizations.findDocument(_id);
      const url = organization?.sandbox?.url;
      if (organization === null || url === undefined) {
        throw new Error(
          `${name} is not a sandbox: only an organization that \`org sandbox\` created can be reset.`,
        );
      }
      await this.organizations.update(_id, { 'sandbox.filledAt': null });
      const onStep = () => assertOwner(lease);
      if (!isEmpty) await this.emptying.empty(_id, onStep);
      const origins = await this.originKeys(_id);
      const settings = toOrganization(organization);
      const reservations = await this.filling.fill(settings, url, origins, onStep);
      await this.organizations.update(_id, { 'sandbox.filledAt': this.clock.now() });
      return { organizationId: _id, reservations };
    } finally {
      await lease.release();
    }
  }

  private fieldsOf({ url = `http://localhost:${this.environment.PORT}` }: SandboxOptions) {
    const address = addressOf(url);
    return {
      logo: `${address}/docs/pictures/logo.svg`,
      apiDomain: new URL(address).hostname,
      sandbox: { url: address, filledAt: null },
    };
  }

  private async revokeKeys(organizationId: Types.ObjectId): Promise<void> {
    for (const key of await this.apiKeys.list(organizationId)) await this.apiKeys.revoke(key);
  }

  private async issueKeys(
    organizationId: Types.ObjectId,
    expiresAt: Date | null,
  ): Promise<SandboxKeys> {
    const issue = (purpose: KeyPurpose, name: string, isSigned = false) =>
      this.apiKeys.issue({
        organizationId,
        name,
        ...(keyPurposes[purpose] satisfies PurposePermissions),
        addresses: null,
        isSigned,
        rateLimit: null,
        expiresAt,
      });
    const keys = new Map<KeyPurpose, string>();
    const purposes = Object.keys(keyPurposes) as KeyPurpose[];
    for (const purpose of new Set<KeyPurpose>(['everything', ...purposes])) {
      keys.set(purpose, (await issue(purpose, `Sandbox: ${purpose}`)).key);
    }
    const signed = await issue('collector', 'Sandbox: collector, signed', true);
    const { key, signingSecret = '' } = signed;
    return { keys, signedCollector: { key, signingSecret } };
  }

  /** Keys may have been revoked, so a purpose may have none; an unused id then stands for it. */
  private async originKeys(organizationId: Types.ObjectId): Promise<OriginKeys> {
    const active = await this.apiKeys.listActive([organizationId]);
    const idOf = (operation: Operation, fits: (key: ApiKeyDocument) => boolean = () => true) =>
      active.find((key) => permittedOperations(key).includes(operation) && fits(key))?._id ??
      new Types.ObjectId();
    return {
      platform: idOf('reservations.write'),
      collector: idOf(
        'reservations.callback',
        (key) => !permittedOperations(key).includes('leads.write'),
      ),
    };
  }
}

async function assertOwner(lease: Lease): Promise<void> {
  if (await lease.acquire()) return;
  throw new Error('Another process has taken over the reset, because this one was too slow.');
}

/** Removes the slash at the end, a query and a fragment. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
