import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorResponses } from '../core/errors/error-responses.js';
import { apiReference } from './api-reference.js';
import { clientDocument } from './client-document.js';
import { postmanCollection } from './postman-collection.js';

/** The documents below `/docs`, created on the first request (rule HTTP-14). */
export function publishedDocuments(app: INestApplication, responses: ErrorResponses) {
  let reference: OpenAPIObject | undefined;
  const document = () => (reference ??= apiReference(app, responses));
  return {
    'openapi.json': document,
    'openapi-client.json': () => clientDocument(document()),
    'collection.json': () => postmanCollection(document()),
  };
}
