import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { type Language, parseLanguage } from '../../localization/language.js';
import { routeOptionsOf } from './route-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before anything can fail, so that errors are in the caller's language too. */
    language: Language;
    /** When its headers had arrived, in milliseconds of `performance.now()`. */
    receivedAt: number;
  }
}

const requestIdPattern = /^[\w.:~+/=@-]{1,128}$/;

/** The caller's `x-request-id` when it is a valid token, else a new one (rule HTTP-6). */
export function requestId(request: { headers: Record<string, unknown> }): string {
  const headerId = request.headers['x-request-id'];
  return typeof headerId === 'string' && requestIdPattern.test(headerId) ? headerId : randomUUID();
}

/** Gives every request its language and every response the headers that go with it. */
export function addRequestContext(fastify: FastifyInstance): void {
  fastify.decorateRequest('language', parseLanguage(undefined));
  fastify.decorateRequest('receivedAt', 0);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { fixedLanguage } = routeOptionsOf(request);
    request.language = fixedLanguage ?? parseLanguage(request.headers['language']);
    request.receivedAt = performance.now();
    setContextHeaders(request, reply);
    done();
  });
}

/** What every response has: protection in browsers, and rule HTTP-17. */
const commonHeaders = {
  ...protectiveHeaders(),
  'cache-control': 'private, no-cache',
  vary: 'api-key, language, accept-encoding',
};

/**
 * Names the request and its language in its response, and keeps shared caches from handing one
 * tenant's response to another (rule HTTP-17).
 */
export function setContextHeaders({ id, language }: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders);
  reply.header('x-request-id', id);
  reply.header('content-language', language);
}

/** What Helmet sets. It is the same for every response, and costs more than its route when it is made for each. */
function protectiveHeaders(): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  };
  const setHeaders = helmet({ contentSecurityPolicy: false });
  setHeaders({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}
