import type { Type } from '@nestjs/common';
import { DefinitionsFactory } from '@nestjs/mongoose';
import { Schema } from 'mongoose';
import type { TenantDocument } from './tenant-document.js';

/**
 * The schema of a tenant's documents that have required fields of their own. The times come last: the
 * validator lists required fields in this order, and a stored one in another order is out of date.
 */
export function tenantSchema(documentClass: Type<TenantDocument>, collection: string): Schema {
  const { createdAt, updatedAt, ...fields } = DefinitionsFactory.createForClass(documentClass);
  return new Schema({ ...fields, createdAt, updatedAt }, { collection });
}
