import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../errors/domain-error.js';
import { httpErrors } from '../../errors/http-errors.js';
import type { RouteOptions } from '../requests/route-options.js';

interface Path {
  readonly url: string;
  readonly methods: string[];
  hasOwnMethodsOnly: boolean;
}

/** Returns a function that adds routes for other methods; call it once all routes exist (rule HTTP-2). */
export function rejectUnknownRoutes(fastify: FastifyInstance): () => void {
  const paths = new Map<string, Path>();
  let isComplete = false;
  fastify.addHook('onRoute', ({ url, method, config = {} }) => {
    if (isComplete) return;
    const { hasOwnMethodsOnly = false } = config as RouteOptions;
    const key = url.replaceAll(/:\w+/g, ':');
    const path = paths.get(key) ?? { url, methods: [], hasOwnMethodsOnly: false };
    path.methods.push(...[method].flat());
    path.hasOwnMethodsOnly ||= hasOwnMethodsOnly;
    paths.set(key, path);
  });
  return () => {
    isComplete = true;
    for (const method of METHODS) {
      if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
    }
    for (const path of paths.values()) {
      rejectOtherMethods(fastify, path, [...paths.values()]);
      rejectEmptyParameter(fastify, path);
    }
  };
}

/** A parameter of another path may match this path, which then accepts its methods too. */
function rejectOtherMethods(fastify: FastifyInstance, path: Path, paths: readonly Path[]): void {
  const matching = path.hasOwnMethodsOnly
    ? [path]
    : paths.filter(({ url }) => patternCovers(url, path.url));
  const allowed = [...new Set(matching.flatMap(({ methods }) => methods))];
  const headers = { allow: allowed.join(', ') };
  const error = new DomainError(httpErrors.methodNotAllowed, undefined, headers);
  const preflightError = new DomainError(httpErrors.preflightRejected, undefined, headers);
  const methods = METHODS.filter((method) => !allowed.includes(method));
  addRejection(fastify, path.url, methods, (request) =>
    isPreflight(request) ? preflightError : error,
  );
}

/** A path with a trailing slash is another path, not an endpoint with an empty parameter (rule HTTP-2). */
function rejectEmptyParameter(fastify: FastifyInstance, { url }: Path): void {
  const parent = url.replace(/:\w+$/, '');
  if (parent !== url)
    addRejection(fastify, parent, METHODS, () => new DomainError(httpErrors.routeNotFound));
}

function addRejection(
  fastify: FastifyInstance,
  url: string,
  method: string[],
  errorOf: (request: FastifyRequest) => DomainError,
): void {
  fastify.route({
    url,
    method,
    exposeHeadRoute: false,
    config: { isPublic: true, hasNoEndpoint: true } satisfies RouteOptions,
    onRequest: (request, _reply, done) => done(errorOf(request)),
    handler: () => undefined,
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function patternCovers(pattern: string, url: string): boolean {
  const segments = url.split('/');
  const parts = pattern.split('/');
  return (
    parts.length === segments.length &&
    parts.every((part, index) => part === segments[index] || part.startsWith(':'))
  );
}
