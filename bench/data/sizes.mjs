const usual = {
  leads: 20_000,
  units: 10_300,
  compounds: 1_000,
  reservations: 2_000,
  deliveries: 1_000_000,
  smallOrganizations: 50,
  leadsOfSmall: 200,
  compoundsOfSmall: 20,
};

/** How much data a measurement runs on. */
export const sizes = { ...usual };

/** One organization alone, with a multiple of its first size. */
export function sizesAt(factor) {
  const first = { leads: 20_000, units: 1_000, reservations: 500, deliveries: 10_000 };
  const multiples = Object.entries(first).map(([name, count]) => [name, count * factor]);
  return { ...Object.fromEntries(multiples), smallOrganizations: 0 };
}

/** Sets the sizes from which data and requests are made: the usual ones except those given. */
export function useSizes(chosen) {
  Object.assign(sizes, usual, chosen);
}
