import { type DynamicModule, Module } from '@nestjs/common';
import { getModelToken, MongooseModule } from '@nestjs/mongoose';
import type { Model, Schema } from 'mongoose';
import { TenantCache } from '../../cache/tenant-cache.js';
import { CrossTenantCollection } from './cross-tenant-collection.js';
import { collectionToken } from './tenant-collection.js';
import { StoredTypes } from './stored-types.js';
import type { TenantDocument } from './tenant-document.js';

export interface TenantCollectionDefinition {
  readonly name: string;
  readonly schema: Schema;
  /** Other programs also write these documents, so reads check types against the schema. */
  readonly hasForeignFields?: true;
  /** Writes invalidate cached responses. */
  readonly isCached?: true;
}

@Module({})
export class TenantCollectionsModule {
  static forFeature(...definitions: readonly TenantCollectionDefinition[]): DynamicModule {
    const models = MongooseModule.forFeature([...definitions]);
    const collections = definitions.map(({ name, schema, hasForeignFields, isCached }) => ({
      provide: collectionToken(name),
      inject: [getModelToken(name), TenantCache],
      useFactory: (model: Model<TenantDocument>, cache: TenantCache) => {
        const types = hasForeignFields && new StoredTypes(schema, model.collection.collectionName);
        // Classes that inject it as a TenantCollection can query only one organization.
        return new CrossTenantCollection(model, types, isCached && cache);
      },
    }));
    return {
      module: TenantCollectionsModule,
      imports: [models],
      providers: collections,
      exports: [models, ...collections.map(({ provide }) => provide)],
    };
  }
}
