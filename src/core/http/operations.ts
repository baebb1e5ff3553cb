/** What keys may be issued for (rule AUTH-7). */
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

/** The operations of a key for a usual purpose. */
export const keyPurposes = {
  /** A key that leaks from a form reads nothing. */
  website: ['leads.write'],
  collector: ['reservations.callback', 'reservations.read', 'reservations.reconcile'],
  crm: ['catalogue.read', 'leads.read', 'reservations.read', 'events.read'],
  everything: operations,
} as const satisfies Readonly<Record<string, readonly Operation[]>>;

export type KeyPurpose = keyof typeof keyPurposes;
