import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { type Language, parseLanguage } from '../../localization/language.js';
import { routeOptionsOf } from './route-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    language: Language;
    /** Time of `performance.now()`, in milliseconds. */
    receivedAt: number;
  }
}

const requestIdPattern = /^[\w.:~+/=@-]{1,128}$/;

/** Log lines contain the id, so other characters must not get into them (rule HTTP-6). */
export function requestIdFor(request: { headers: Record<string, unknown> }): string {
  const headerId = request.headers['x-request-id'];
  return typeof headerId === 'string' && requestIdPattern.test(headerId) ? headerId : randomUUID();
}

export function decorateContext(fastify: FastifyInstance): void {
  fastify.decorateRequest('language', parseLanguage(undefined));
  fastify.decorateRequest('receivedAt', 0);
}

/** Sets the language and the headers of every response. */
export function setContext(request: FastifyRequest, reply: FastifyReply): void {
  const { fixedLanguage } = routeOptionsOf(request);
  request.language = fixedLanguage ?? parseLanguage(request.headers['language']);
  request.receivedAt = performance.now();
  reply.headers(commonHeaders);
  reply.header('x-request-id', request.id);
  reply.header('content-language', request.language);
}

/** Some of these headers protect browsers (rule HTTP-17). */
const commonHeaders = {
  ...protectiveHeaders(),
  'cache-control': 'private, no-cache',
  vary: 'api-key, language, accept-encoding',
};

/** Runs Helmet once: for each request, it would cost more than a route. */
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
