/** Without libphonenumber, which takes 30 ms to load: the command line needs the names at each start. */
export const clientMatchFields = ['phone', 'email'] as const;
export type ClientMatchField = (typeof clientMatchFields)[number];
