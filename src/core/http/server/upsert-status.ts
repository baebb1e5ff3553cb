import type { FastifyReply } from 'fastify';

interface UpsertResult {
  readonly operation: 'create' | 'update';
}

export function upsertStatus(operation: UpsertResult['operation']): number {
  return operation === 'create' ? 201 : 200;
}

export function upsertBody<T extends UpsertResult>(reply: FastifyReply, result: T): T {
  // After the deadline's 503, the log would report this status.
  if (!reply.sent) void reply.status(upsertStatus(result.operation));
  return result;
}
