import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** A parameter such as a charset; the weight `q` is none. */
const parameter = /;\s*(?!q\s*=)[^;,\s]+/gi;

/** Undefined when no type is acceptable. */
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
