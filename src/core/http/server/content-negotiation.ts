import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** A parameter of a type in `Accept`, such as a charset; the weight `q` is none. */
const parameter = /;\s*(?!q\s*=)[^;,\s]+/gi;

/** The type that `Accept` prefers; undefined where it accepts none of them. */
export function acceptedType<T extends string>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  types: readonly T[],
): T | undefined {
  const accept = headers.accept?.replace(parameter, '');
  const negotiator = new Negotiator({ headers: accept === undefined ? {} : { accept } });
  return negotiator.mediaType([...types]) as T | undefined;
}

/** Adds a request header to those that the response depends on. */
export function addVary(reply: FastifyReply, name: string): void {
  reply.header('vary', `${String(reply.getHeader('vary'))}, ${name}`);
}
