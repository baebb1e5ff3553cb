export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

export function countStatuses(
  responses: readonly { readonly status: number }[],
): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
