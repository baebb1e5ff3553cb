import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

const parameter = /;\s*(?!q\s*=)[^;,\s]+/gi;

export function acceptedType<T extends string>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  types: readonly T[],
): T | undefined {
  const accept = headers.accept?.replace(parameter, '');
  const negotiator = new Negotiator({ headers: accept === undefined ? {} : { accept } });
  return negotiator.mediaType([...types]) as T | undefined;
}

export function addVary(reply: FastifyReply, name: string): void {
  reply.header('vary', `${String(reply.getHeader('vary'))}, ${name}`);
}
