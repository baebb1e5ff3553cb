import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorResponses } from '../core/errors/error-responses.js';
import { loadOnce } from '../core/values/load-once.js';
import { apiReference } from './api-reference.js';
import { clientDocument } from './client-document.js';
import type { Site } from './pages/site.js';
import { postmanCollection } from './postman-collection.js';

export interface PublishedDocuments {
  /** JSON documents by their names below `/docs/`. */
  readonly documents: Readonly<Record<string, () => object>>;
  readonly site: () => Promise<Site>;
}

/** Creates the documents below `/docs/` on the first request (rule HTTP-14). */
export function publishedDocuments(
  app: INestApplication,
  responses: ErrorResponses,
): PublishedDocuments {
  let reference: OpenAPIObject | undefined;
  const document = () => (reference ??= apiReference(app, responses));
  return {
    documents: {
      'openapi.json': document,
      'openapi-client.json': () => clientDocument(document()),
      'collection.json': () => postmanCollection(document()),
    },
    site: loadOnce(() => createSite(document, responses)),
  };
}

/** Loads the libraries that only the pages need. */
async function createSite(document: () => OpenAPIObject, responses: ErrorResponses): Promise<Site> {
  const module = await import('./pages/site.js');
  return module.createSite(document(), responses);
}
