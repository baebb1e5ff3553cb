import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { ErrorDefinition } from '../errors/error-definition.js';
import { tolerantNames } from '../validation/unknown-names.js';
import { documentIdempotency } from './idempotency-documentation.js';
import { headerReference, sharedComponents } from './openapi-components.js';

/**
 * The reference of the whole API, made from the code.
 *
 * @param errors every error that an endpoint documents
 */
export function createOpenApiDocument(
  app: INestApplication,
  errors: readonly ErrorDefinition[],
): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Integration API')
    .setDescription(
      'The external API of the real-estate platform. Every request is made on behalf of the ' +
        'organization that its API key belongs to.',
    )
    .setVersion('v1.0')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'api-key', description: 'Issued by the operator.' },
      'api-key',
    )
    .addApiKey(
      { type: 'apiKey', in: 'query', name: 'api-key', description: 'On the callback alone.' },
      'api-key-in-query',
    )
    .build();
  const components = { ...config.components, ...sharedComponents(errors) };
  const document = SwaggerModule.createDocument(
    app,
    { ...config, components },
    {
      operationIdFactory: (controller, method) =>
        `${controller.replace('Controller', '').toLowerCase()}.${method}`,
    },
  );
  closeStrictBodies(document);
  documentIdempotency(document);
  documentRateLimits(document);
  return document;
}

/** Says which objects of request bodies have no further properties (rule HTTP-20). */
function closeStrictBodies({ paths, components }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Record<string, { additionalProperties?: boolean }>;
  const close = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (schema === undefined || 'additionalProperties' in schema) continue;
      schema.additionalProperties = tolerantNames().has(name);
      close(schema);
    }
  };
  for (const { post } of Object.values(paths)) close(post?.requestBody ?? {});
}

/** Sent before the key is known, or before there is a request. */
const unlimitedStatuses: ReadonlySet<string> = new Set(['401', '408', '431']);

/** Says which responses tell the limit of the key and what is left of it (rule HTTP-22). */
function documentRateLimits({ paths }: OpenAPIObject): void {
  const headers = {
    'ratelimit-policy': headerReference('ratelimit-policy'),
    ratelimit: headerReference('ratelimit'),
  };
  for (const { security, responses } of Object.values(paths).flatMap(operationsOf)) {
    if (security === undefined) continue;
    for (const [status, response] of Object.entries(responses)) {
      if (response === undefined || '$ref' in response || unlimitedStatuses.has(status)) continue;
      response.headers = { ...response.headers, ...headers };
    }
  }
}

type PathItem = OpenAPIObject['paths'][string];

function operationsOf(item: PathItem): NonNullable<PathItem['get']>[] {
  return [item.get, item.post, item.delete].filter((operation) => operation !== undefined);
}

/** Serves the reference as a page at `/docs` and as a document at `/docs/openapi.json`. */
export function serveOpenApi(
  app: NestFastifyApplication,
  errors: readonly ErrorDefinition[],
): void {
  // The library's own routes take no options.
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (/^\/docs(?:\/|$)/.test(route.url)) route.config = { ...route.config, isPublic: true };
    });
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app, errors), {
    jsonDocumentUrl: 'docs/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Integration API reference',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true },
  });
}
