import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.js';
import { httpErrors } from '../../core/errors/http-errors.js';
import { ownUrl, ownUrlVary, urlOf } from '../own-url.js';
import { missingPage, type Site } from './site.js';

/** These stand for the URL of the service in documents; on its own pages readers can use them as they are. */
const exampleUrl = /https:\/\/api\.example\.com|\$API_URL/g;

/**
 * Sends the page at a path below `/docs/`, or a 404, which is a page for a browser.
 */
export function sendPage(
  site: Site,
  path: string,
  request: FastifyRequest<{ Querystring: { q?: string | string[] } }>,
  reply: FastifyReply,
): FastifyReply {
  const { q = '' } = request.query;
  const page = site(path, typeof q === 'string' ? q.trim() : '');
  if (page === undefined) return sendMissing(path, request, reply);
  const url = urlOf(request);
  const text = url === ownUrl ? page.text : page.text.replaceAll(exampleUrl, url);
  return reply.type(`${page.type}; charset=utf-8`).header('vary', ownUrlVary).send(text);
}

/** No page is deeper. The relative links of a page repeat `../` for each level. */
const maxLevels = 8;

function sendMissing(path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('vary', 'accept, language, accept-encoding');
  const error = new DomainError(httpErrors.routeNotFound);
  const isForBrowser = request.headers.accept?.includes('text/html') === true;
  if (!isForBrowser || path.split('/').length > maxLevels) {
    request.server.errorResponses.respond(error, request, reply);
    return reply;
  }
  return reply
    .status(error.definition.status)
    .header('x-error-code', error.definition.code)
    .type('text/html; charset=utf-8')
    .send(missingPage(path));
}
