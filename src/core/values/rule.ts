/** One condition on a value; `name` is the key of its message in every language's `validation.json`. */
export interface Rule {
  readonly name: string;
  /** @param object what the value is a field of, where it is one */
  readonly isMet: (value: unknown, object?: object) => boolean;
  /** Placeholders of the message; `property` is the name of the field unless it is given here. */
  readonly values?: Readonly<Record<string, string | number>>;
}

/** A kind of value: every rule that its values meet. */
export type ValueKind = readonly Rule[];

/** Whether a value is of a kind. */
export function isValid(kind: ValueKind, value: unknown): boolean {
  return kind.every(({ isMet }) => isMet(value));
}

/** A rule for texts; anything else passes, so that only its type is reported. */
export function textRule(
  name: string,
  isMet: (text: string) => boolean,
  values: Rule['values'] = {},
): Rule {
  return { name, isMet: (value) => typeof value !== 'string' || isMet(value), values };
}

/** One of some values. */
export function oneOf(values: readonly string[]): Rule {
  return {
    name: 'isIn',
    isMet: (value) => values.includes(value as string),
    values: { values: values.join(', ') },
  };
}
