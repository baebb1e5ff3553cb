/**
 * Longest time in milliseconds between a writer's reading of the clock and its commit: the server ends transactions
 * after a minute, the rest is for clocks that differ.
 */
export const commitLagMs = 120_000;
