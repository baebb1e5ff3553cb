/** The operations that a key may be issued for (rule AUTH-7). */
export const operations = [
  'leads.write',
  'leads.read',
  'leads.delete',
  'catalogue.read',
  'units.write',
  'reservations.write',
  'reservations.read',
  'reservations.callback',
  'reservations.reconcile',
  'events.read',
] as const;

export type Operation = (typeof operations)[number];
