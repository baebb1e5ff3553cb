import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The files of the page; the packages and folders that they lie in have more. */
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
  // What the page loads and calls is its own; pictures in styles are data.
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
  // It is the same for everybody, but may be another after the next deployment.
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
};

/**
 * Serves the reference as a page at `/docs`, to which `/` leads, and as a document at `/docs/openapi.json`,
 * for everybody (rule HTTP-14).
 *
 * @param document makes the document, which happens when it is first asked for
 */
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
    // Relative, so that a proxy may serve it below a path of its own.
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
