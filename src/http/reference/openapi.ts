import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** The reference of the whole API, made from the code. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
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
  return SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) =>
      `${controller.replace('Controller', '').toLowerCase()}.${method}`,
  });
}

/** Serves the reference as a page at `/docs` and as a document at `/docs/openapi.json`. */
export function serveOpenApi(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Integration API reference',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true },
  });
}
