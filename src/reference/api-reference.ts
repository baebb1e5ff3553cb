import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorResponses } from '../core/http/errors/error-responses.js';
import { errorLists } from './error-lists.js';
import { eventList } from './event-list.js';
import { createOpenApiDocument } from '../core/http/reference/openapi.js';

/** The reference of the API: every endpoint, error and event (rule HTTP-14). */
export function apiReference(app: INestApplication, responses: ErrorResponses): OpenAPIObject {
  return createOpenApiDocument(app, {
    errors: Object.values(errorLists).flat(),
    responses,
    events: eventList,
  });
}
