import type { FastifyReply } from 'fastify';
import { commitLagMs } from '../../database/transactions/commit-lag.js';

/**
 * Sets the `updatedSince` that a poller sends next time (rule HTTP-11): whatever is missing in a
 * response that is read from now on will have been written after it.
 */
export function setUpdatedAsOf(reply: FastifyReply, now: Date): void {
  reply.header('x-updated-as-of', new Date(now.getTime() - commitLagMs).toISOString());
}
