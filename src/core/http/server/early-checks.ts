import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { announcesBody, awaitsContinue } from './bodies.js';
import { makeLastResponse } from './last-responses.js';
import type { RouteOptions } from './route-options.js';

/** Rejects what is no valid HTTP: no `Host` in HTTP/1.1, or more than one (rule HTTP-19). */
export function requireOneHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { rawHeaders, httpVersion } = request.raw;
    const hosts = countHosts(rawHeaders);
    if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return done();
    // Whoever sends this may also see other requests in the bytes that follow.
    makeLastResponse(request, reply);
    done(new DomainError(httpErrors.hostRequired));
  });
}

/**
 * Rejects what another reader of the same bytes could end elsewhere (rule HTTP-24): HTTP/1.0 knows no transfer
 * encodings, nobody here reads others than chunks, and what follows a request for another protocol may be that
 * protocol. Node itself rejects lengths that contradict each other or the chunks, and a
 * transfer encoding that does not end with chunks.
 */
export function rejectAmbiguousFraming(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { headers, httpVersion } = request.raw;
    const encoding = headers['transfer-encoding']?.trim().toLowerCase();
    const isAmbiguous =
      headers.upgrade !== undefined ||
      (encoding !== undefined && (encoding.includes(',') || httpVersion === '1.0'));
    if (!isAmbiguous) return done();
    makeLastResponse(request, reply);
    done(new DomainError(httpErrors.badRequest));
  });
}

/** Names and values take turns. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

interface KnownRoute {
  readonly url: string;
  readonly pattern: RegExp;
  readonly methods: readonly string[];
  readonly isOnlyMethod: boolean;
}

/** Made once: an error for each unknown path would cost more than its response. */
const routeNotFound = new DomainError(httpErrors.routeNotFound);

/**
 * Rejects what has no endpoint before anything else is looked at (rule HTTP-2): an unknown path with
 * 404, a known one with another method with 405 and the methods that it has.
 */
export function rejectUnknownRoutes(fastify: FastifyInstance): void {
  const routes: KnownRoute[] = [];
  let shadowing: ReadonlySet<string> | undefined;
  fastify.addHook('onRoute', ({ url, method, config = {} }) => {
    const { isOnlyMethod = false } = config as RouteOptions;
    routes.push({ url, pattern: pathPattern(url), methods: [method].flat(), isOnlyMethod });
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const { is404, raw, method } = request;
    shadowing ??= shadowingPaths(routes);
    if (!is404 && !shadowing.has(request.routeOptions.url ?? '')) return done();
    const path = pathOf(raw.url ?? '');
    const exclusive = routes.find((route) => route.isOnlyMethod && route.pattern.test(path));
    if (!is404 && (exclusive === undefined || exclusive.methods.includes(method))) return done();
    const matching = exclusive ? [exclusive] : routes.filter(({ pattern }) => pattern.test(path));
    const allow = [...new Set(matching.flatMap(({ methods }) => methods))].join(', ');
    if (allow === '') return fastify.errorFilter.respond(routeNotFound, request, reply);
    done(new DomainError(httpErrors.methodNotAllowed, undefined, { allow }));
  });
}

/** The paths with a parameter that also matches an endpoint which takes no other method. */
function shadowingPaths(routes: readonly KnownRoute[]): ReadonlySet<string> {
  const exclusive = routes.filter(({ isOnlyMethod }) => isOnlyMethod);
  const shadowing = routes.filter(
    ({ url, pattern }) => url.includes(':') && exclusive.some((route) => pattern.test(route.url)),
  );
  return new Set(shadowing.map(({ url }) => url));
}

/** The path of a request as the router reads it, which has rejected those that cannot be decoded. */
function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/, 1);
  return decodeURI(path);
}

/** What a route's path matches; encoded slashes in parameters stay encoded. */
function pathPattern(url: string): RegExp {
  const pattern = url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*');
  return new RegExp(`^${pattern}$`);
}

/**
 * Rejects bodies by what their headers say of them, before they are read (rules HTTP-2 and HTTP-18),
 * and only then tells a client that waits for it to send its body.
 *
 * @param lengthLimit most bytes of a body
 */
export function checkAnnouncedBodies(fastify: FastifyInstance, lengthLimit: number): void {
  fastify.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    if (!announcesBody(raw)) return done();
    // Its client left while the key was judged: no event would end the wait for the rest.
    if (raw.destroyed && !raw.complete) return done(new DomainError(httpErrors.badRequest));
    const error = announcedError(raw.headers, lengthLimit);
    if (error !== null) return done(new DomainError(error));
    if (awaitsContinue(raw)) {
      delete raw.headers.expect;
      reply.raw.writeContinue();
    }
    // What had arrived of a request does not depend on how long its key took.
    if (raw.destroyed) return done(null, Readable.from((raw.read() as Buffer | null) ?? []));
    done();
  });
}

function announcedError(headers: IncomingHttpHeaders, lengthLimit: number) {
  if (Number(headers['content-length']) > lengthLimit) return httpErrors.bodyTooLarge;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') return httpErrors.unsupportedContentEncoding;
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset) ? null : httpErrors.unsupportedCharset;
}

/** Lets requests with any `Expect` in: Node itself would ask for the body at once, or reject them. */
export function takeExpectations({ server }: FastifyInstance): void {
  const handle = (request: IncomingMessage, response: unknown) =>
    server.emit('request', request, response);
  server.on('checkContinue', handle).on('checkExpectation', handle);
}
