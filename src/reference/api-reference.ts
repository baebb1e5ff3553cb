import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { ErrorResponses } from '../core/errors/error-responses.js';
import { ownUrl } from './own-url.js';
import { describeErrors } from '../core/http/api-documentation.js';
import { sharedComponents } from './openapi-components.js';
import { tolerantTypeNames } from '../core/validation/dto-reader.js';
import { completeOperations } from './common-documentation.js';
import { allErrors } from './errors.js';
import { addResponseExamples } from './response-examples.js';
import { documentedWebhooks, webhookModels } from './webhook-documentation.js';

const description = `Leads, reservations, compounds and units of the real-estate platform, for the
systems of its partners. Every request acts for the organization that its API key belongs to; the
operator of the platform issues keys. To try an operation here, enter a key under **Authentication**
and press **Test Request**.

Guides with programs: [a website](guides/website), [a cheque collector](guides/cheque-collector),
[a CRM](guides/crm), [webhooks](guides/webhooks), also [in Arabic](guides.ar). Further:
[all error codes](errors), [the rules](rules), [search](search).

This document: [openapi.json](openapi.json), OpenAPI 3.1. For generators of clients:
[openapi-client.json](openapi-client.json), without webhooks. For Postman:
[collection.json](collection.json).

Read your key first: \`GET /external/apis/v1.0/key\` shows what it permits. For development, ask the
operator for a sandbox, an organization of your own with sample data. Keys stay on servers, because
every visitor of a page could read a key in it: only a key for the origin of a page can
[send leads from that page](guides/website).

An optional field of a body that is null counts as not sent, unless null is documented as a value.

Every error has the same body. The header \`x-error-code\` is a stable, machine-readable code, the
same in every language: look it up in [all error codes](errors), or below, where each operation
lists its codes with cause and *what to do*. A 4xx is
final, except 408, 409 and 429. Retry those, any 5xx and missing responses with exponential
backoff, never before \`Retry-After\`.

Every response has \`content-language\` and \`x-request-id\`, by which the operator finds the
request. \`vary\` and \`cache-control\` keep responses out of shared caches and make private caches
revalidate them. \`ratelimit-policy\` and \`ratelimit\` show the remaining quota of the key.`;

const tags = {
  Leads: 'People who are interested in a compound, identified by the ids of the sending system.',
  Reservations:
    'Reservations of units with their cheques, and the callback of the cheque collector.',
  Compounds: 'The compounds of the organization, and the units of each compound.',
  Units: 'Units for sale: a single unit, a filtered list or an export.',
  Events: 'All changes of these records in order, for polling instead of webhooks.',
  Key: 'What the API key of the request permits: a good first call.',
  Health: 'Health check of the service.',
};

export function apiReference(app: INestApplication, responses: ErrorResponses): OpenAPIObject {
  const config = baseConfig();
  const components = { ...config.components, ...sharedComponents(allErrors, responses) };
  const document = SwaggerModule.createDocument(
    app,
    { ...config, components, webhooks: documentedWebhooks() },
    { extraModels: webhookModels },
  );
  disallowUnknownFields(document);
  for (const item of Object.values(document.paths)) completeOperations(item);
  addResponseExamples(document);
  moveUnroutedErrors(document);
  return document;
}

function baseConfig(): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Integration API')
    .setDescription(description)
    .setVersion('v1.0')
    .addServer(ownUrl, 'The server of this document')
    .addServer('https://{apiDomain}', "Your organization's API domain", {
      apiDomain: { default: 'localhost', description: 'Ask the operator.' },
    })
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'api-key', description: 'Issued by the operator.' },
      'api-key',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'query',
        name: 'api-key',
        description:
          'For callbacks of clients that cannot set headers; the header takes precedence. Logs of ' +
          'proxies and programs contain URLs, so prefer the header.',
      },
      'api-key-query',
    );
  for (const [name, text] of Object.entries(tags)) builder.addTag(name, text);
  const config = builder.build();
  const info = {
    ...config.info,
    contact: { name: 'The operator of the platform' },
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  };
  return { ...config, info };
}

/** Errors that occur before routing belong to the introduction. */
function moveUnroutedErrors({ info, paths, components }: OpenAPIObject): void {
  const text = JSON.stringify(paths);
  const others = allErrors.filter(({ code }) => !text.includes(`"${code}"`));
  info.description = `${info.description}\n\nErrors of requests that reach no operation:\n\n${describeErrors(others)}`;
  for (const { code } of others) delete components?.examples?.[code];
}

/** Unknown body fields are refused unless the type tolerates them (rule HTTP-20). */
function disallowUnknownFields({ paths, components }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Record<string, { additionalProperties?: boolean }>;
  const close = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (schema === undefined || 'additionalProperties' in schema) continue;
      schema.additionalProperties = tolerantTypeNames().has(name);
      close(schema);
    }
  };
  for (const { post } of Object.values(paths)) close(post?.requestBody ?? {});
}
