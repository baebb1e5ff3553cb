import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../database/documents/across-tenants.js';
import { indexNotFound, unless } from '../../database/structure/database-structure.js';
import { Migrations } from '../../database/structure/migrations.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** Indexes of earlier versions, without `_id`, that made a list sort all deliveries. */
const replaced = ['byEndpoint', 'byOrganization'];

/**
 * Drops indexes that others have replaced. Migrations run after the new ones are built, so that
 * instances of the version before have an index all the time.
 */
@Injectable()
export class ReplacedIndexes implements OnModuleInit {
  constructor(
    @InjectAcrossTenants('WebhookDelivery')
    private readonly deliveries: CollectionAcrossTenants<WebhookDeliveryDocument>,
    private readonly migrations: Migrations,
  ) {}

  onModuleInit(): void {
    this.migrations.register({
      version: 4,
      name: 'replaced indexes of webhook deliveries',
      runBatch: () => this.dropReplaced(),
    });
  }

  private async dropReplaced(): Promise<null> {
    for (const name of replaced) {
      await this.deliveries.acrossTenants.dropIndex(name).catch(unless(indexNotFound));
    }
    return null;
  }
}
