/** The items up to the first that is not accepted; no further one is asked about. */
export function firstWhile<T>(items: readonly T[], accepts: (item: T) => boolean): T[] {
  const end = items.findIndex((item) => !accepts(item));
  return items.slice(0, end === -1 ? items.length : end);
}

/** Some of the items, so that those who collide once are unlikely to collide again. */
export function sample<T>(items: readonly T[], size: number): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, size)
    .map(({ item }) => item);
}
