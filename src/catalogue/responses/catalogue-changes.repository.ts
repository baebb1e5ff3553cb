import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { ChangeStream, ChangeStreamOptions, Document } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Change } from '../../core/database/changes/change-watcher.js';

/** What responses about compounds and units are made of. */
const collections = [
  'amenities',
  'compounds',
  'organizations',
  'phases',
  'propertyTypes',
  'unitDesigns',
  'units',
];

/** A change of a document that responses show, with what says whose it is. */
export interface CatalogueChange extends Change {
  readonly operationType: string;
  readonly ns?: { readonly coll?: string };
  readonly documentKey?: { readonly _id: unknown };
  /** The organization of the document as it is now; missing where there is no document any more. */
  readonly organizationId?: unknown;
  /** The organization that the change gave to the document. */
  readonly movedTo?: unknown;
}

/** The changes of the catalogue in all organizations. */
@Injectable()
export class CatalogueChangesRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** What any program commits from now on. */
  watch(options: ChangeStreamOptions): ChangeStream<Document, CatalogueChange> {
    const steps = [
      {
        $match: {
          $or: [{ 'ns.coll': { $in: collections } }, { 'to.coll': { $in: collections } }],
        },
      },
      {
        $project: {
          operationType: 1,
          ns: 1,
          documentKey: 1,
          organizationId: '$fullDocument.organizationId',
          movedTo: '$updateDescription.updatedFields.organizationId',
        },
      },
    ];
    const client = this.connection.getClient();
    return client.db(this.connection.name).watch(steps, {
      fullDocument: 'updateLookup',
      ...options,
    });
  }
}
