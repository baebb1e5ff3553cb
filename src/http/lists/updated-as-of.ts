import type { FastifyReply } from 'fastify';

/**
 * Longest time in milliseconds between a writer's reading of the clock and its commit: the server ends transactions
 * after a minute, the rest is for clocks that differ.
 */
const commitLagMs = 120_000;

/**
 * Sets the `updatedSince` that a poller sends next time (rule HTTP-11): whatever is missing in a
 * response that is read from now on will have been written after it.
 */
export function setUpdatedAsOf(reply: FastifyReply, now: Date): void {
  reply.header('x-updated-as-of', new Date(now.getTime() - commitLagMs).toISOString());
}
