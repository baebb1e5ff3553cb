import type { FastifyInstance } from 'fastify';

/**
 * Logs one line for each response: route pattern, status, time, and whose request it was. Values of
 * path parameters and queries are left out, they may be personal or a key.
 */
export function addRequestLog(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode >= 500 ? 'error' : 'info';
    request.log[level](
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        organizationId: request.caller?.organizationId.toHexString(),
        apiKeyId: request.caller?.apiKeyId.toHexString(),
      },
      'request completed',
    );
    done();
  });
}
