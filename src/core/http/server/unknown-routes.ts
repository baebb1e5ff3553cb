import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyRequest, RouteOptions as FastifyRoute } from 'fastify';
import { DomainError } from '../../errors/domain-error.js';
import { httpErrors } from '../../errors/http-errors.js';
import type { RouteOptions } from '../requests/route-options.js';
import { pageMethod } from './cors.js';

const routeNotFound = new DomainError(httpErrors.routeNotFound);

interface Path {
  readonly url: string;
  readonly methods: string[];
  hasOwnMethodsOnly: boolean;
  cors?: RouteOptions['cors'];
}

/** Returns a function that adds routes for other methods; call it once all routes exist (rule HTTP-2). */
export function refuseUnknownRoutes(fastify: FastifyInstance): () => void {
  const paths = new Map<string, Path>();
  let isComplete = false;
  fastify.addHook('onRoute', (route) => {
    const { url, method, config = {} } = route;
    if (url === '*') return refuseUnknownPath(route);
    if (isComplete) return;
    const { hasOwnMethodsOnly = false, cors } = config as RouteOptions;
    const key = url.replaceAll(/:\w+/g, ':');
    const path = paths.get(key) ?? { url, methods: [], hasOwnMethodsOnly: false };
    path.methods.push(...[method].flat());
    path.hasOwnMethodsOnly ||= hasOwnMethodsOnly;
    path.cors ??= cors;
    paths.set(key, path);
  });
  return () => {
    isComplete = true;
    for (const method of METHODS) {
      if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
    }
    for (const path of paths.values()) {
      refuseOtherMethods(fastify, path, [...paths.values()]);
      refuseEmptyParameter(fastify, path);
    }
  };
}

/** The CORS plugin adds a route for preflights to any path. Known paths have routes of their own. */
function refuseUnknownPath(route: FastifyRoute): void {
  route.config = { ...route.config, isPublic: true, hasNoEndpoint: true } satisfies RouteOptions;
  // The plugin adds it before Nest sets its error handler.
  route.onRequest = (request, reply) =>
    request.server.errorResponses.respond(routeNotFound, request, reply);
}

/** A parameter of another path may match this path, which then accepts its methods too. */
function refuseOtherMethods(fastify: FastifyInstance, path: Path, paths: readonly Path[]): void {
  const matching = path.hasOwnMethodsOnly
    ? [path]
    : paths.filter(({ url }) => patternCovers(url, path.url));
  const allowed = [...new Set(matching.flatMap(({ methods }) => methods))];
  const headers = { allow: allowed.join(', ') };
  const error = new DomainError(httpErrors.methodNotAllowed, undefined, headers);
  const preflightError = new DomainError(httpErrors.preflightRefused, undefined, headers);
  const { cors } = path;
  const methods = METHODS.filter((method) => !allowed.includes(method));
  const errorOf = (request: FastifyRequest) => (isPreflight(request) ? preflightError : error);
  addRefusal(fastify, { url: path.url, methods, errorOf, ...(cors && { cors }) });
}

/** A path with a trailing slash is another path, not an endpoint with an empty parameter (rule HTTP-2). */
function refuseEmptyParameter(fastify: FastifyInstance, { url }: Path): void {
  const parent = url.replace(/:\w+$/, '');
  if (parent !== url)
    addRefusal(fastify, { url: parent, methods: METHODS, errorOf: () => routeNotFound });
}

interface Refusal {
  readonly url: string;
  readonly methods: string[];
  readonly errorOf: (request: FastifyRequest) => DomainError;
  readonly cors?: NonNullable<RouteOptions['cors']>;
}

function addRefusal(fastify: FastifyInstance, { url, methods, errorOf, cors }: Refusal): void {
  fastify.route({
    url,
    method: methods,
    exposeHeadRoute: false,
    config: { isPublic: true, hasNoEndpoint: true, ...(cors && { cors }) } satisfies RouteOptions,
    onRequest: (request, _reply, done) => {
      // The CORS plugin, whose hook comes next, responds to a preflight of an origin that it knows.
      if (cors !== undefined && isPreflight(request, pageMethod)) done();
      else done(errorOf(request));
    },
    handler: (request) => {
      throw errorOf(request);
    },
  });
}

function isPreflight({ method, headers }: FastifyRequest, asked?: string): boolean {
  const requested = headers['access-control-request-method'];
  return method === 'OPTIONS' && requested !== undefined && requested === (asked ?? requested);
}

function patternCovers(pattern: string, url: string): boolean {
  const segments = url.split('/');
  const parts = pattern.split('/');
  return (
    parts.length === segments.length &&
    parts.every((part, index) => part === segments[index] || part.startsWith(':'))
  );
}
