import type { FastifyRequest } from 'fastify';

export function routePatternOf(request: FastifyRequest): string {
  const { url, config } = request.routeOptions;
  const { hasNoEndpoint } = config as { readonly hasNoEndpoint?: boolean };
  return url === undefined || hasNoEndpoint === true ? 'unknown' : url;
}
