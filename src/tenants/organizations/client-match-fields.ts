/** What clients can be matched by, in the order of an organization that has not chosen any. */
export const clientMatchFields = ['phone', 'email'] as const;
export type ClientMatchField = (typeof clientMatchFields)[number];
