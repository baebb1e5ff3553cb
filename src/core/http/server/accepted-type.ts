import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** A parameter of a type in `Accept`, such as a charset, but not the weight that it has. */
const parameter = /;\s*(?!q\s*=)[^;,\s]+/gi;

/** Which of some types a request wants most by its `Accept`; undefined where it wants none of them. */
export function acceptedType<T extends string>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  types: readonly T[],
): T | undefined {
  const accept = headers.accept?.replace(parameter, '');
  const negotiator = new Negotiator({ headers: accept === undefined ? {} : { accept } });
  return negotiator.mediaType([...types]) as T | undefined;
}
