import type { INestApplication } from '@nestjs/common';
import type { ErrorResponses } from '../core/http/errors/error-responses.js';
import { apiReference } from './api-reference.js';
import { clientDocument } from './client-document.js';
import { postmanCollection } from './postman-collection.js';

/** The documents below `/docs`, created on the first request (rule HTTP-14). */
export function publishedDocuments(app: INestApplication, responses: ErrorResponses) {
  return {
    'openapi.json': () => apiReference(app, responses),
    'openapi-client.json': () => clientDocument(apiReference(app, responses)),
    'collection.json': () => postmanCollection(apiReference(app, responses)),
  };
}
