import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { jsonContentType } from '../core/values/json.js';

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

/** Stands for the URL of the service, which only a request knows. */
export const ownUrl = '/';

/** A document differs by these, and a shared cache must not return the URL of one client to another. */
const documentVary = 'accept-encoding, host, x-forwarded-host, x-forwarded-proto';

/** Longer hosts and other characters are not repeated in a document. */
const plausibleHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Returns the URL without a path. Headers of proxies count only from trusted ones (`TRUST_PROXY`). */
function urlOf({ protocol, host }: FastifyRequest): string {
  const isPlausible = /^https?$/.test(protocol) && plausibleHost.test(host);
  return isPlausible ? `${protocol}://${host}` : ownUrl;
}

/**
 * The page is public and loads nothing from other servers (rule HTTP-14).
 *
 * @param documents by the name below `/docs`; the string `ownUrl` in them becomes the URL of the service
 */
export async function serveReference(
  fastify: FastifyInstance,
  documents: Readonly<Record<string, () => object>>,
): Promise<void> {
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
    for (const [name, document] of Object.entries(documents)) {
      let parts: readonly string[] | undefined;
      reference.get(`/docs/${name}`, (request, reply) => {
        parts ??= JSON.stringify(document()).split(JSON.stringify(ownUrl));
        const text = parts.join(JSON.stringify(urlOf(request)));
        return reply.type(jsonContentType).header('vary', documentVary).send(text);
      });
    }
    await reference.register(fastifyStatic, {
      root: [join(import.meta.dirname, 'page'), swaggerUi],
      prefix: '/docs/',
      decorateReply: false,
      cacheControl: false,
      allowedPath: (path) => path === '/' || files.has(path.slice(1)),
    });
  });
}
