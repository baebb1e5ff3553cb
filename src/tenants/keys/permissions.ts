/** A key can be restricted to some of these operations (rule AUTH-7). */
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

export const keyPurposes = {
  /** A key that leaks from a form must not be able to read. */
  website: ['leads.write'],
  collector: ['reservations.callback', 'reservations.read', 'reservations.reconcile'],
  crm: ['catalogue.read', 'leads.read', 'reservations.read', 'events.read'],
  everything: operations,
} as const satisfies Readonly<Record<string, readonly Operation[]>>;

export type KeyPurpose = keyof typeof keyPurposes;
