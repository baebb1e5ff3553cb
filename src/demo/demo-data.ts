import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, Types } from 'mongoose';
import { ApiKeysService } from '../authentication/api-keys.service.js';
import { Clock } from '../configuration/clock.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { demoCatalogue } from './demo-catalogue.js';

/** The demo organization and a fresh key for it. */
export interface DemoAccess {
  readonly organizationId: Types.ObjectId;
  readonly key: string;
  /** Ends the key. */
  revoke(): Promise<void>;
}

const organizationName = 'Nile Homes (demo)';

/** A demo organization with a realistic catalogue. */
@Injectable()
export class DemoData {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly keys: ApiKeysService,
    private readonly clock: Clock,
    @InjectConnection() private readonly connection: Connection,
  ) {}

  /**
   * Gives access to the demo organization on the first start: while there is no other organization
   * and nobody has a key for it. Otherwise gives null.
   */
  async createOnFirstStart(): Promise<DemoAccess | null> {
    const [demo, ...others] = await this.organizations.list();
    if (others.length > 0 || (demo !== undefined && demo.name !== organizationName)) return null;
    const keys = demo === undefined ? [] : await this.keys.list(demo._id);
    const isInUse = keys.some((key) => this.keys.stateOf(key) === 'active');
    return isInUse ? null : this.open();
  }

  /** Finds or makes the demo organization, writes its catalogue anew and issues a key. */
  async open(): Promise<DemoAccess> {
    const all = await this.organizations.list();
    const { _id } =
      all.find(({ name }) => name === organizationName) ??
      (await this.organizations.create({ name: organizationName }));
    await this.writeCatalogue(_id);
    const issued = await this.keys.issue({ organizationId: _id, name: 'Demo', expiresAt: null });
    const revoke = async () => void (await this.keys.revoke(issued.document));
    return { organizationId: _id, key: issued.key, revoke };
  }

  private async writeCatalogue(organizationId: Types.ObjectId): Promise<void> {
    const catalogue = demoCatalogue(organizationId, this.clock.now());
    for (const [collection, documents] of Object.entries(catalogue)) {
      const replacements = (documents as { _id: Types.ObjectId }[]).map((replacement) => ({
        replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
      }));
      await this.connection.collection(collection).bulkWrite(replacements, { ordered: false });
    }
  }
}
