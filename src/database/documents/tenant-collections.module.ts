import { type DynamicModule, Module } from '@nestjs/common';
import { getModelToken, MongooseModule } from '@nestjs/mongoose';
import type { Model, Schema } from 'mongoose';
import { collectionToken } from './inject-collection.js';
import { TenantCollection } from './tenant-collection.js';
import type { TenantDocument } from './tenant-document.js';

/** A collection of tenants' documents: the name that it is injected by, and its schema. */
export interface TenantCollectionDefinition {
  readonly name: string;
  readonly schema: Schema;
}

/** The one place that makes the collections which repositories query. */
@Module({})
export class TenantCollectionsModule {
  static forFeature(...definitions: readonly TenantCollectionDefinition[]): DynamicModule {
    const models = MongooseModule.forFeature([...definitions]);
    const collections = definitions.map(({ name }) => ({
      provide: collectionToken(name),
      inject: [getModelToken(name)],
      useFactory: (model: Model<TenantDocument>) => new TenantCollection(model),
    }));
    return {
      module: TenantCollectionsModule,
      imports: [models],
      providers: collections,
      exports: [models, ...collections.map(({ provide }) => provide)],
    };
  }
}
