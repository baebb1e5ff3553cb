import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const files: ReadonlySet<string> = new Set([
  'index.html',
  'reference.css',
  'reference.js',
  'reservation-states.svg',
  'favicon-16x16.png',
  'favicon-32x32.png',
  'swagger-ui.css',
  'swagger-ui-bundle.js',
]);

const headers = {
  // The style sheet of Swagger UI contains images.
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // A deployment may change the page.
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
};

/** The page is public and loads nothing from other servers (rule HTTP-14). */
export async function serveReference(
  fastify: FastifyInstance,
  document: () => OpenAPIObject,
): Promise<void> {
  let text: string | undefined;
  await fastify.register(async (reference) => {
    reference.addHook('onRoute', (route) => {
      route.config = { ...route.config, isPublic: true };
    });
    reference.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers);
      done();
    });
    // A proxy may serve the page under another path.
    for (const path of ['/', '/docs']) {
      reference.get(path, (_request, reply) => reply.redirect('docs/'));
    }
    reference.get('/docs/openapi.json', (_request, reply) => {
      text ??= JSON.stringify(document());
      return reply.type('application/json; charset=utf-8').send(text);
    });
    await reference.register(fastifyStatic, {
      root: [join(import.meta.dirname, 'page'), swaggerUi],
      prefix: '/docs/',
      decorateReply: false,
      cacheControl: false,
      allowedPath: (path) => path === '/' || files.has(path.slice(1)),
    });
  });
}
