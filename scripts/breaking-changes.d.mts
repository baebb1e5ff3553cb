/** See `breaking-changes.mjs`. */
export function breakingChanges(before: object, after: object): string[];
