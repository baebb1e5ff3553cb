import type { FastifyRequest } from 'fastify';
import { isPlainObject } from '../../values/plain-object.js';

/** A callback as received, for the log. */
export interface CallbackRequest {
  readonly requestId: string;
  /** The body with all its fields. */
  readonly payload: object;
}

/** The callback in a request; a body that is no object is put into one. */
export function callbackRequest({
  id,
  body,
}: Pick<FastifyRequest, 'id' | 'body'>): CallbackRequest {
  return { requestId: id, payload: isPlainObject(body) ? body : { body } };
}
