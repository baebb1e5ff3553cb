/** The numbers from 0 on. */
export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** How many responses have each status. */
export function countStatuses(
  responses: readonly { readonly status: number }[],
): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
