/** How much data a measurement runs on; that of growth sets what it has loaded. */
export const sizes = {
  leads: 20_000,
  compounds: 1_000,
  unitsOfGarden: 300,
  unitsOfCity: 10_000,
  finishedDeliveries: 1_000_000,
  reservations: 2_000,
  smallOrganizations: 50,
  leadsOfSmall: 200,
  compoundsOfSmall: 20,
};
