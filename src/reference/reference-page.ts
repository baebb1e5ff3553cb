import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, compressions } from '../core/http/responses/compression.js';
import { jsonContentType } from '../core/values/json.js';
import { loadOnce } from '../core/values/load-once.js';
import { ownUrl, ownUrlVary, urlOf } from './own-url.js';
import type { PublishedDocuments } from './published-documents.js';

/** The build copies this one file of the package, which contains its dependencies. */
const scalarFile = join(
  import.meta.dirname,
  'scalar/@scalar/api-reference/dist/browser/standalone.js',
);

const pageFiles = join(import.meta.dirname, 'page');

const files: ReadonlySet<string> = new Set([
  'favicon.svg',
  'pages.css',
  'pages.js',
  'reference.css',
  'reference.js',
  'reservation-states.svg',
  'sign-callback.js',
  'theme.css',
]);

/** Pictures of sandboxes (rule OPS-38), which pages of partners show. */
const picture = /^pictures\/[a-z-]+\.(svg|pdf)$/;

function securityPolicy(styles: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface Request {
  Params: { '*': string };
  Querystring: { q?: string | string[] };
}

const headers = {
  'content-security-policy': securityPolicy("'self'"),
  // A deployment may change the page.
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
};

/** Scalar inserts its style sheet into the page. */
const referencePolicy = securityPolicy("'self' 'unsafe-inline'");

/**
 * The pages are public and load nothing from other servers (rule HTTP-14). The string `ownUrl` in a JSON document
 * becomes the URL of the service.
 */
export async function serveReference(
  fastify: FastifyInstance,
  { documents, site }: PublishedDocuments,
): Promise<void> {
  await fastify.register(async (reference) => {
    reference.addHook('onRoute', (route) => {
      route.config = { ...route.config, isPublic: true };
    });
    reference.addHook('onRequest', ({ url }, reply, done) => {
      reply.headers(headers);
      if (url.startsWith('/docs/pictures/')) {
        reply.header('cross-origin-resource-policy', 'cross-origin');
      }
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
        return reply.type(jsonContentType).header('vary', ownUrlVary).send(text);
      });
    }
    await reference.register(fastifyStatic, { root: pageFiles, serve: false, cacheControl: false });
    // One route for all pages, because each has a refusal for every other method.
    reference.get<Request>('/docs/*', async (request, reply) => {
      const { '*': path } = request.params;
      if (path === '')
        return reply.header('content-security-policy', referencePolicy).sendFile('index.html');
      if (path === 'scalar.js') return sendScalar(request, reply);
      if (files.has(path) || picture.test(path)) return reply.sendFile(path);
      const { sendPage } = await import('./pages/serve-pages.js');
      return sendPage(await site(), path, request, reply);
    });
  });
}

/** Five megabytes take half a second to compress, so each form is compressed only once. */
const compressedScalar = {
  br: loadOnce(async () => compressions.br(await readFile(scalarFile))),
  gzip: loadOnce(async () => compressions.gzip(await readFile(scalarFile))),
};

async function sendScalar(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.type('text/javascript; charset=utf-8');
  const encoding = acceptedEncoding(request.headers);
  if (encoding === 'identity') return reply.send(await readFile(scalarFile));
  return reply.header('content-encoding', encoding).send(await compressedScalar[encoding]());
}
