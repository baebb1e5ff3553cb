/** Lets a query reach all organizations; only the files that `.dependency-cruiser.cjs` names import it (rule DATA-10). */
export const acrossTenants = { acrossTenants: true } as const;
