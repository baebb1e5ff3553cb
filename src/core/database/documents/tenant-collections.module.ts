import { type DynamicModule, Module } from '@nestjs/common';
import { getModelToken, MongooseModule } from '@nestjs/mongoose';
import type { Model, Schema } from 'mongoose';
import { FreshCache } from '../../cache/fresh-cache.js';
import { CollectionAcrossTenants } from './across-tenants.js';
import { collectionToken } from './tenant-collection.js';
import { StoredTypes } from './stored-types.js';
import type { TenantDocument } from './tenant-document.js';

/** A collection of tenants' documents: the name that it is injected by, and its schema. */
export interface TenantCollectionDefinition {
  readonly name: string;
  readonly schema: Schema;
  /** Whether what other programs have stored is read by the types of the schema. */
  readonly hasForeignFields?: true;
  /** Whether responses made of it are cached, so that a write ends them. */
  readonly isCached?: true;
}

/** The one place that makes the collections which repositories query. */
@Module({})
export class TenantCollectionsModule {
  static forFeature(...definitions: readonly TenantCollectionDefinition[]): DynamicModule {
    const models = MongooseModule.forFeature([...definitions]);
    const collections = definitions.map(({ name, schema, hasForeignFields, isCached }) => ({
      provide: collectionToken(name),
      inject: [getModelToken(name), FreshCache],
      useFactory: (model: Model<TenantDocument>, cache: FreshCache) => {
        const types = hasForeignFields && new StoredTypes(schema, model.collection.collectionName);
        // Most types of what is injected show no more than one organization of it.
        return new CollectionAcrossTenants(model, types, isCached && cache);
      },
    }));
    return {
      module: TenantCollectionsModule,
      imports: [models],
      providers: collections,
      // Not the models: with them a query would need no organization.
      exports: collections.map(({ provide }) => provide),
    };
  }
}
