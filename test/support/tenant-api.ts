import type { Db, Document, ObjectId } from 'mongodb';
import type { Test } from 'supertest';
import { addTenant, type Tenant, type TenantOverrides } from './builders.js';

/** Sends requests with one API key to paths below the base path of the API. */
export interface Requests {
  readonly get: (path: string) => Test;
  readonly delete: (path: string) => Test;
  readonly post: (path: string, body?: object | string) => Test;
  readonly put: (path: string, body?: object | string) => Test;
}

/** A tenant whose requests carry its key, with access to its stored documents. */
export interface TenantApi extends Tenant, Requests {
  /** Returns requests that carry another key. */
  readonly with: (key: string) => Requests;
  /** Calls a builder for this tenant, such as `add(addUnit, { status: 'Sold' })`. */
  readonly add: <Parameters extends unknown[], Added>(
    builder: (db: Db, organizationId: ObjectId, ...parameters: Parameters) => Added,
    ...parameters: Parameters
  ) => Added;
  /** Returns the matching stored documents by ascending id. */
  readonly stored: (collection: string, filter?: Document) => Promise<Document[]>;
  /** Returns the first matching stored document. @throws Error when none matches */
  readonly storedOne: (collection: string, filter?: Document) => Promise<Document>;
  readonly count: (collection: string, filter?: Document) => Promise<number>;
  /** Sets fields of the matching stored documents, as another program would. */
  readonly set: (collection: string, filter: Document, fields: Document) => Promise<void>;
}

interface Backend {
  readonly db: Db;
  readonly api: (method: 'get' | 'post' | 'delete' | 'put', path: string) => Test;
}

/** Writes an organization with a key, and binds requests and database reads to it. */
export async function addTenantApi(
  service: Backend,
  overrides: TenantOverrides = {},
): Promise<TenantApi> {
  return tenantApi(service, await addTenant(service.db, overrides));
}

function tenantApi({ db, api }: Backend, tenant: Tenant): TenantApi {
  const { organizationId, key } = tenant;
  const requestsWith = (apiKey: string): Requests => ({
    get: (path) => api('get', path).set('api-key', apiKey),
    delete: (path) => api('delete', path).set('api-key', apiKey),
    post: (path, body) => api('post', path).set('api-key', apiKey).send(body),
    put: (path, body) => api('put', path).set('api-key', apiKey).send(body),
  });
  const stored = (collection: string, filter: Document = {}) =>
    db
      .collection(collection)
      .find({ organizationId, ...filter })
      .sort({ _id: 1 })
      .toArray();
  return {
    ...tenant,
    ...requestsWith(key),
    with: requestsWith,
    add: (builder, ...parameters) => builder(db, organizationId, ...parameters),
    stored,
    storedOne: async (collection, filter) => {
      const [document] = await stored(collection, filter);
      if (document === undefined) throw new Error(`No document of ${collection} matches.`);
      return document;
    },
    count: (collection, filter = {}) =>
      db.collection(collection).countDocuments({ organizationId, ...filter }),
    set: async (collection, filter, fields) => {
      await db.collection(collection).updateMany({ organizationId, ...filter }, { $set: fields });
    },
  };
}
