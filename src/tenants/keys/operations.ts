/** A key can be restricted to some of these operations (rule AUTH-7). */
export const operations = [
  'leads.write',
  'leads.read',
  'leads.list',
  'leads.delete',
  'catalogue.read',
  'units.write',
  'reservations.write',
  'reservations.read',
  'reservations.list',
  'reservations.callback',
  'reservations.reconcile',
  'events.read',
] as const;

export type Operation = (typeof operations)[number];

/** A key without a list of operations does not have these, which read everything of an organization. */
export const unimpliedOperations: ReadonlySet<Operation> = new Set([
  'events.read',
  'leads.list',
  'reservations.list',
]);

/** The only operation of keys for pages, because every visitor can read a key in a page (rule AUTH-10). */
export const pageOperation = 'leads.write' satisfies Operation;

/** Keys with `public` do not see what the organization does not publish (rule AUTH-9). */
export const visibilities = ['all', 'public'] as const;

export type Visibility = (typeof visibilities)[number];

export interface PurposeRestrictions {
  readonly operations: readonly Operation[];
  readonly visibility?: Visibility;
}

export const keyPurposes = {
  /** A key that leaks from a form must not be able to read. */
  website: { operations: ['leads.write'] },
  collector: {
    operations: [
      'reservations.callback',
      'reservations.read',
      'reservations.list',
      'reservations.reconcile',
    ],
  },
  crm: {
    operations: [
      'catalogue.read',
      'leads.read',
      'leads.list',
      'reservations.read',
      'reservations.list',
      'events.read',
    ],
  },
  portal: { operations: ['catalogue.read'], visibility: 'public' },
  everything: { operations },
} as const satisfies Readonly<Record<string, PurposeRestrictions>>;

export type KeyPurpose = keyof typeof keyPurposes;

/** Purposes got these after keys had been issued; such keys keep their operations. */
export const addedOperations: ReadonlySet<string> = new Set(['leads.list', 'reservations.list']);
