import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { dropIndexOf } from '../../core/database/structure/server-codes.js';
import { Migrations } from '../../core/database/structure/migrations.js';

/** Indexes of earlier versions, by collection, in which counts had to read the documents, or that served one order alone. */
const replaced: Readonly<Record<string, readonly string[]>> = {
  amenities: ['changes'],
  compounds: ['changes', 'newest'],
  phases: ['changes'],
  propertyTypes: ['changes'],
  unitDesigns: ['changes'],
  units: ['changes', 'newest', 'newestOfCompound', 'unitIdAlone'],
};

/**
 * Drops indexes that others have replaced. Migrations run after the new ones are built, so that
 * instances of the version before have an index all the time.
 */
@Injectable()
export class ReplacedCatalogueIndexes implements OnModuleInit {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly migrations: Migrations,
  ) {}

  onModuleInit(): void {
    this.migrations.register({
      version: 8,
      name: 'replaced indexes of the catalogue',
      runBatch: () => this.dropReplaced(),
    });
  }

  private async dropReplaced(): Promise<null> {
    for (const [collection, names] of Object.entries(replaced)) {
      for (const name of names) {
        await dropIndexOf(this.connection.collection(collection), name);
      }
    }
    return null;
  }
}
