export interface ValueRule {
  /** The key of the message in `validation.json`. */
  readonly name: string;
  /** @param object contains the value as a field */
  readonly isMet: (value: unknown, object?: object) => boolean;
  /** Placeholders of the message; `property` defaults to the name of the field. */
  readonly values?: Readonly<Record<string, string | number>>;
}

export type ValueRules = readonly ValueRule[];

export function isValid(rules: ValueRules, value: unknown): boolean {
  return rules.every(({ isMet }) => isMet(value));
}

/** Accepts other types, so that only their type is reported. */
export function textRule(
  name: string,
  isMet: (text: string) => boolean,
  values: ValueRule['values'] = {},
): ValueRule {
  return { name, isMet: (value) => typeof value !== 'string' || isMet(value), values };
}

export function oneOf(values: readonly string[]): ValueRule {
  return {
    name: 'isIn',
    isMet: (value) => values.includes(value as string),
    values: { values: values.join(', ') },
  };
}
