import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { dropIndexOf } from '../core/database/structure/server-codes.js';
import { Migrations } from '../core/database/structure/migrations.js';

/** Indexes of earlier versions, by collection. */
type Indexes = Readonly<Record<string, readonly string[]>>;

/** Without `_id`, they made a list sort all deliveries. */
const unsorted: Indexes = { webhookDeliveries: ['byEndpoint', 'byOrganization'] };

/** They held documents that nobody looks for by them, and changed with each that was finished. */
const complete: Indexes = {
  outboxEvents: ['waiting', 'expiry', 'unheardExpiry'],
  webhookDeliveries: ['expiry'],
};

/**
 * They removed events that have no number yet. The index of those that wait to be relayed stays for
 * instances of the version before, which look for them by it, until they have ended.
 */
const expiringUnnumbered: Indexes = { outboxEvents: ['relayedExpiry', 'earlyExpiry'] };

/**
 * Drops indexes that others have replaced. Migrations run after the new ones are built, so that
 * instances of the version before have an index all the time.
 */
@Injectable()
export class ReplacedWebhookIndexes implements OnModuleInit {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly migrations: Migrations,
  ) {}

  onModuleInit(): void {
    this.migrations.register({
      version: 4,
      name: 'replaced indexes of webhook deliveries',
      runBatch: () => this.drop(unsorted),
    });
    this.migrations.register({
      version: 9,
      name: 'partial indexes of events and deliveries',
      runBatch: () => this.drop(complete),
    });
    this.migrations.register({
      version: 10,
      name: 'events are kept until they are numbered',
      runBatch: () => this.drop(expiringUnnumbered),
    });
  }

  private async drop(indexes: Indexes): Promise<null> {
    for (const [collection, names] of Object.entries(indexes)) {
      for (const name of names) {
        await dropIndexOf(this.connection.collection(collection), name);
      }
    }
    return null;
  }
}
