import { type Aggregate, type Query, type Schema, Types } from 'mongoose';
import { ownKeys } from './own-keys.js';
import { acrossTenants } from './across-tenants.js';

const queries = [
  'find',
  'findOne',
  'findOneAndUpdate',
  'findOneAndDelete',
  'findOneAndReplace',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'countDocuments',
  'distinct',
] as const;

/** These stages read or write collections without the first stage's organization. */
const foreignStages = ['$lookup', '$graphLookup', '$unionWith', '$out', '$merge'] as const;

/** Refuses each query and write of the model that names no organization. Applies to schemas with the field. */
export function tenantGuard(schema: Schema): void {
  if (schema.path('organizationId') === undefined) return;
  schema.pre([...queries], function (this: Query<unknown, unknown>) {
    this.setOptions(ownKeys);
    if (!isExempt(this.getOptions())) assertScoped(this.getFilter());
  });
  schema.pre('aggregate', function (this: Aggregate<unknown[]>) {
    this.option(ownKeys);
    if (isExempt(this.options)) return;
    const [first, ...others] = this.pipeline() as unknown as Record<string, unknown>[];
    assertScoped(first?.['$match']);
    const foreign = others.find((stage) => foreignStages.some((name) => name in stage));
    if (foreign !== undefined)
      throw new Error(`Not of one organization: ${Object.keys(foreign)[0]}`);
  });
  schema.pre('insertMany', (documents: unknown) => {
    for (const document of [documents].flat()) assertScoped(document);
  });
  schema.pre('bulkWrite', (operations: readonly object[], options?: object) => {
    if (isExempt(options)) return;
    for (const operation of operations) {
      for (const { filter, document } of Object.values(operation) as Scoped[]) {
        assertScoped(filter ?? document);
      }
    }
  });
}

interface Scoped {
  readonly filter?: unknown;
  readonly document?: unknown;
}

function isExempt(options: object = {}): boolean {
  return 'acrossTenants' in options && options.acrossTenants === acrossTenants.acrossTenants;
}

function assertScoped(filter: unknown): void {
  const { organizationId } = (filter ?? {}) as { readonly organizationId?: unknown };
  const { $in: listed } = (organizationId ?? {}) as { readonly $in?: unknown };
  const ids: readonly unknown[] = Array.isArray(listed) ? listed : [organizationId];
  if (!ids.every((id) => id instanceof Types.ObjectId)) {
    throw new Error('A query of tenant data must name its organization.');
  }
}
