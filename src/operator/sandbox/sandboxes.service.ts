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
  type PurposeRestrictions,
} from '../../tenants/keys/operations.js';
import { toOrganization } from '../../tenants/organizations/organization.js';
import type { OrganizationDocument } from '../../tenants/organizations/organization.schema.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { isUnfinished, sandboxMarkerOf } from './sandbox-marker.js';
import { SandboxEmptyingService } from './sandbox-emptying.service.js';
import {
  type OriginKeys,
  SandboxFillingService,
  type SandboxReservationIds,
} from './sandbox-filling.service.js';

/** Another process may continue after one that died this long ago, in ms. */
export const leaseMs = 10_000;

/** Begins the names of the keys that a creation issues. */
const keyNamePrefix = 'Sandbox: ';

/** Called after each step; its error ends the work. */
type OnStep = () => Promise<void>;

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

/** Another process creates or resets the sandbox, or died less than 10 seconds ago. */
export class SandboxInUseError extends Error {}

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
  async create(wanted: NewSandbox): Promise<Sandbox & SandboxKeys> {
    const { _id = new Types.ObjectId(), name, keysExpireAt = null } = wanted;
    const fields = this.fieldsOf(_id, wanted);
    return this.withLease({ _id, name }, async (onStep) => {
      await this.organizations.create({ _id, name, ...fields });
      try {
        const issued = await this.issueKeys(_id, keysExpireAt);
        return { ...issued, ...(await this.refill({ _id, name }, onStep, { isEmpty: true })) };
      } catch (error) {
        await this.delete(_id).catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Finishes an interrupted creation, and replaces its keys, which nobody has seen; or finishes an interrupted reset,
   * after which all keys stay. Leaves any other organization alone.
   *
   * @returns null unless it issued keys
   * @throws SandboxInUseError when another process creates it; a reset by another process is left alone
   */
  async finish(organization: OrganizationDocument): Promise<(Sandbox & SandboxKeys) | null> {
    if (!isUnfinished(organization)) return null;
    const { _id } = organization;
    const finish = async (onStep: OnStep) => {
      // Another process may have finished it since the organization was read.
      const { completedAt, filledAt } = (await this.findSandbox(organization)).marker;
      if (filledAt !== null) return null;
      if (completedAt !== null) {
        await this.refill(organization, onStep);
        return null;
      }
      await this.revokeKeys(_id, isOfCreation);
      const issued = await this.issueKeys(_id, null);
      return { ...issued, ...(await this.refill(organization, onStep)) };
    };
    const isCompleted = sandboxMarkerOf(organization)?.completedAt !== null;
    try {
      return await this.withLease(organization, finish);
    } catch (error) {
      // Its keys are known, so that it can be used while the other process resets it.
      if (error instanceof SandboxInUseError && isCompleted) return null;
      throw error;
    }
  }

  /**
   * Deletes the contents and stores those of a new sandbox; keys, webhook endpoints and the feed stay. Repeating it
   * finishes an interrupted reset.
   *
   * @throws Error when the organization is no sandbox, or another process resets it
   */
  async reset(organization: Subject): Promise<Sandbox> {
    return this.withLease(organization, (onStep) => this.refill(organization, onStep));
  }

  async delete(organizationId: Types.ObjectId): Promise<void> {
    await this.revokeKeys(organizationId);
    await this.organizations.delete(organizationId);
  }

  private async withLease<T>(
    { _id, name = '' }: Subject,
    work: (onStep: OnStep) => Promise<T>,
  ): Promise<T> {
    const lease = this.leases.create(`sandbox ${_id.toHexString()}`, leaseMs);
    if (!(await lease.acquire())) {
      throw new SandboxInUseError(
        `Another process resets ${name}. Wait until it ends, then try again.`,
      );
    }
    try {
      return await work(() => assertOwner(lease));
    } finally {
      await lease.release();
    }
  }

  /** Checks everything that the filling needs before it deletes anything. */
  private async refill(
    subject: Subject,
    onStep: OnStep,
    { isEmpty = false } = {},
  ): Promise<Sandbox> {
    const { _id } = subject;
    const { organization, marker } = await this.findSandbox(subject);
    await this.filling.check(marker.url);
    const origins = await this.originKeys(_id);
    const settings = toOrganization(organization);
    await this.organizations.update(_id, { 'sandbox.filledAt': null });
    if (!isEmpty) await this.emptying.empty(_id, onStep);
    const reservations = await this.filling.fill(settings, marker.url, origins, onStep);
    const now = this.clock.now();
    const completedAt = marker.completedAt ?? now;
    await this.organizations.update(_id, {
      'sandbox.filledAt': now,
      'sandbox.completedAt': completedAt,
    });
    return { organizationId: _id, reservations };
  }

  private async findSandbox({ _id, name = '' }: Subject) {
    const organization = await this.organizations.findDocument(_id);
    const marker = organization && sandboxMarkerOf(organization);
    if (organization !== null && marker !== null) return { organization, marker };
    throw new Error(
      `${name} is not a sandbox: only an organization that \`org sandbox\` created can be reset.`,
    );
  }

  private fieldsOf(
    organizationId: Types.ObjectId,
    { url = `http://localhost:${this.environment.PORT}` }: SandboxOptions,
  ) {
    const address = addressOf(url);
    return {
      logo: `${address}/docs/pictures/logo.svg`,
      apiDomain: new URL(address).hostname,
      sandbox: { organizationId, url: address, completedAt: null, filledAt: null },
    };
  }

  private async revokeKeys(
    organizationId: Types.ObjectId,
    isMeant: (key: ApiKeyDocument) => boolean = () => true,
  ): Promise<void> {
    const keys = await this.apiKeys.list(organizationId);
    for (const key of keys.filter(isMeant)) await this.apiKeys.revoke(key);
  }

  private async issueKeys(
    organizationId: Types.ObjectId,
    expiresAt: Date | null,
  ): Promise<SandboxKeys> {
    const issue = (purpose: KeyPurpose, name: string, isSigned = false) =>
      this.apiKeys.issue({
        organizationId,
        name,
        ...(keyPurposes[purpose] satisfies PurposeRestrictions),
        addresses: null,
        isSigned,
        rateLimit: null,
        expiresAt,
      });
    const keys = new Map<KeyPurpose, string>();
    const purposes = Object.keys(keyPurposes) as KeyPurpose[];
    for (const purpose of new Set<KeyPurpose>(['everything', ...purposes])) {
      keys.set(purpose, (await issue(purpose, `${keyNamePrefix}${purpose}`)).key);
    }
    const signed = await issue('collector', `${keyNamePrefix}collector, signed`, true);
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

function isOfCreation({ name }: ApiKeyDocument): boolean {
  return typeof name === 'string' && name.startsWith(keyNamePrefix);
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
