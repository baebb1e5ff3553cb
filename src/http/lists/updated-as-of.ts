import type { FastifyReply } from 'fastify';

/**
 * Longest time between a writer's reading of the clock and its commit: the server ends transactions
 * after a minute, the rest is for clocks that differ.
 */
const lateCommits = 120_000;

/**
 * Tells a poller the `updatedSince` to send next time ("Compounds" 3): whatever is missing in an
 * answer that is read from now on will have been written after it.
 */
export function noteUpdatedAsOf(reply: FastifyReply, now: Date): void {
  reply.header('x-updated-as-of', new Date(now.getTime() - lateCommits).toISOString());
}
