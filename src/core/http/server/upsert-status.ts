import type { FastifyReply } from 'fastify';

interface UpsertResult {
  readonly operation: 'create' | 'update';
}

/** The status of the response to an upsert: 201 for what created, 200 for what updated. */
export function upsertStatus(operation: UpsertResult['operation']): number {
  return operation === 'create' ? 201 : 200;
}

/** The body of the response to an upsert; its status is set. */
export function upsertBody<T extends UpsertResult>(reply: FastifyReply, result: T): T {
  // The deadline may have answered; the log would take this status for the one that was sent.
  if (!reply.sent) void reply.status(upsertStatus(result.operation));
  return result;
}
