import { overwriteMiddlewareResult, type Query, type Schema } from 'mongoose';
import { StoredTypes } from '../documents/stored-types.js';

/** Values of wrong types count as missing in documents that other programs also write (rule DATA-2). */
export function ignoresWrongTypes(schema: Schema): void {
  let types: StoredTypes | undefined;
  const read = (
    query: Pick<Query<unknown, unknown>, 'projection'>,
    documents: readonly object[],
  ) => {
    types ??= new StoredTypes(schema, String(schema.get('collection')));
    const fields = Object.keys(query.projection() ?? {});
    return types.read(documents, fields.length === 0 ? undefined : fields);
  };
  schema.post<Query<object[], object>>('find', function (documents) {
    return overwriteMiddlewareResult(read(this, documents));
  });
  schema.post<Query<object | null, object>>('findOne', function (document) {
    const [known = null] = document === null ? [] : read(this, [document]);
    return overwriteMiddlewareResult(known);
  });
}
