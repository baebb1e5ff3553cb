import { type DynamicModule, Module } from '@nestjs/common';
import { getModelToken, MongooseModule } from '@nestjs/mongoose';
import type { Model, Schema } from 'mongoose';
import { acrossTenantsToken, CollectionAcrossTenants } from './across-tenants.js';
import { collectionToken } from './inject-collection.js';
import { StoredTypes } from './stored-types.js';
import { TenantCollection } from './tenant-collection.js';
import type { TenantDocument } from './tenant-document.js';

/** A collection of tenants' documents: the name that it is injected by, and its schema. */
export interface TenantCollectionDefinition {
  readonly name: string;
  readonly schema: Schema;
  /** Whether what other programs have stored is read by the types of the schema. */
  readonly hasForeignFields?: true;
}

/** The one place that makes the collections which repositories query. */
@Module({})
export class TenantCollectionsModule {
  static forFeature(...definitions: readonly TenantCollectionDefinition[]): DynamicModule {
    const models = MongooseModule.forFeature([...definitions]);
    const collections = definitions.flatMap(({ name, schema, hasForeignFields }) => {
      const types = (collection: string) => hasForeignFields && new StoredTypes(schema, collection);
      const inject = [getModelToken(name)];
      return [
        {
          provide: collectionToken(name),
          inject,
          useFactory: (model: Model<TenantDocument>) =>
            new TenantCollection(model, types(model.collection.collectionName)),
        },
        {
          provide: acrossTenantsToken(name),
          inject,
          useFactory: (model: Model<TenantDocument>) =>
            new CollectionAcrossTenants(model, types(model.collection.collectionName)),
        },
      ];
    });
    return {
      module: TenantCollectionsModule,
      imports: [models],
      providers: collections,
      // Not the models: with them a query would need no organization.
      exports: collections.map(({ provide }) => provide),
    };
  }
}
