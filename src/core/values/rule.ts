export interface Rule {
  /** The key of the message in `validation.json`. */
  readonly name: string;
  /** @param object contains the value as a field */
  readonly isMet: (value: unknown, object?: object) => boolean;
  /** Placeholders of the message; `property` defaults to the name of the field. */
  readonly values?: Readonly<Record<string, string | number>>;
}

export type ValueKind = readonly Rule[];

export function isValid(kind: ValueKind, value: unknown): boolean {
  return kind.every(({ isMet }) => isMet(value));
}

/** Accepts other types, so that only their type is reported. */
export function textRule(
  name: string,
  isMet: (text: string) => boolean,
  values: Rule['values'] = {},
): Rule {
  return { name, isMet: (value) => typeof value !== 'string' || isMet(value), values };
}

export function oneOf(values: readonly string[]): Rule {
  return {
    name: 'isIn',
    isMet: (value) => values.includes(value as string),
    values: { values: values.join(', ') },
  };
}
