import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { ErrorDefinition } from '../core/http/errors/domain-error.js';
import type { ErrorResponses } from '../core/http/errors/error-responses.js';
import { describeErrors } from '../core/http/reference/endpoint.js';
import { sharedComponents } from './openapi-components.js';
import { tolerantNames } from '../core/http/validation/dto-reading.js';
import { completeOperations } from './common-documentation.js';
import { errorLists } from './error-tables.js';
import { documentedWebhooks, webhookModels } from './webhook-documentation.js';

const description = `Leads, reservations, compounds and units of the real-estate platform, for the
systems of its partners. Every request is made on behalf of the organization that its API key
belongs to; the operator of the platform issues keys. Press **Authorize**, enter a key, and every
operation can be tried here.

This document: [openapi.json](openapi.json), OpenAPI 3.1.

Every error has the same body. Its header \`x-error-code\` is a word for programs, the same in every
language: below, the responses of each operation list the codes with their cause and *what to do*.
A 4xx is final, except 408, 409 and 429. Repeat after these, after a 5xx and after no response at
all, with growing pauses and never before \`Retry-After\`.

Every response has \`x-request-id\`, by which the operator finds the request, \`content-language\`,
and headers for caches: by \`vary\` and \`cache-control\` no shared cache may keep it, and a private
one has to ask again. The remaining quota of a key is in \`ratelimit-policy\` and \`ratelimit\`.`;

const tags = {
  Leads: 'Persons who are interested in a compound, identified by the ids of the sending system.',
  Reservations:
    'Reservations of units with their cheques, and the callback of the payment collector.',
  Compounds: 'The compounds of the organization, and the units of one.',
  Units: 'The units for sale: a single unit, a filtered list, an export.',
  Events: 'Every change of these records in order, for polling instead of webhooks.',
  Health: 'Whether the service works.',
};

/** Rule HTTP-14. */
export function apiReference(app: INestApplication, responses: ErrorResponses): OpenAPIObject {
  const config = baseConfig();
  const errors = Object.values(errorLists).flat();
  const components = { ...config.components, ...sharedComponents(errors, responses) };
  const document = SwaggerModule.createDocument(
    app,
    { ...config, components, webhooks: documentedWebhooks() },
    { extraModels: webhookModels },
  );
  disallowUnknownFields(document);
  for (const item of Object.values(document.paths)) completeOperations(item);
  moveUnroutedErrors(document, errors);
  return document;
}

function baseConfig(): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Integration API')
    .setDescription(description)
    .setVersion('v1.0')
    .addServer('/', 'The server of this document')
    .addServer('https://{apiDomain}', "Your organization's API domain", {
      apiDomain: { default: 'localhost', description: 'Ask the operator.' },
    })
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'api-key', description: 'Issued by the operator.' },
      'api-key',
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
function moveUnroutedErrors(
  { info, paths, components }: OpenAPIObject,
  errors: readonly ErrorDefinition[],
): void {
  const text = JSON.stringify(paths);
  const others = errors.filter(({ code }) => !text.includes(`"${code}"`));
  info.description = `${info.description}\n\nErrors of requests that reach no operation:\n\n${describeErrors(others)}`;
  for (const { code } of others) delete components?.examples?.[code];
}

/** Rule HTTP-20. */
function disallowUnknownFields({ paths, components }: OpenAPIObject): void {
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
