interface Result {
  readonly index: number;
  readonly statusCode: number;
  readonly operation?: string;
  readonly lead?: Readonly<Record<string, unknown>> & { readonly leadId: number | null };
  readonly message?: unknown;
  readonly error?: string;
  readonly errorCode?: string;
}

export interface Batch {
  readonly ok: boolean;
  readonly created: number;
  readonly updated: number;
  readonly refused: number;
  readonly results: readonly Result[];
}

/** Replaces ids by names in order of appearance, and removes times and numbers. */
export function withoutIds({ results, ...counts }: Batch): string {
  const names = new Map<string, string>();
  const text = JSON.stringify(results, (field, value: unknown) =>
    /At$|^leadId$/.test(field) ? undefined : value,
  );
  const named = text.replaceAll(/\b[0-9a-f]{24}\b/g, (id) => {
    if (!names.has(id)) names.set(id, `id ${names.size}`);
    return names.get(id) ?? '';
  });
  return `${JSON.stringify(counts)} ${named}`;
}
