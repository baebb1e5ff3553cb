/** Kept apart from libphonenumber, which takes 30 ms to load: every command needs these names. */
export const clientMatchFields = ['phone', 'email'] as const;
export type ClientMatchField = (typeof clientMatchFields)[number];
