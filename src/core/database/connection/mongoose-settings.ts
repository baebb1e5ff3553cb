import { BSONRegExp, Code, Decimal128, Long, MaxKey, MinKey, Timestamp } from 'mongodb';

/** With an ordinary object the driver would return the value of a field named `constructor` as bytes. */
export const readAsValues = {
  fieldsAsRaw: Object.create(null) as Record<string, boolean>,
  bsonRegExp: true,
};

// JSON of the database's own types; numbers keep all their digits.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
showAs(Long, (value) => rawJSON(value.toString()));
showAs(Decimal128, decimalJson);
showAs(Timestamp, ({ t }) => new Date(t * 1_000).toISOString());
showAs(BSONRegExp, ({ pattern, options }) => `/${pattern}/${options}`);
showAs(Code, ({ code }) => code);
showAs(MinKey, () => null);
showAs(MaxKey, () => null);

function showAs<T extends object>(
  type: { readonly prototype: T },
  toJson: (value: T) => unknown,
): void {
  Object.assign(type.prototype, {
    toJSON(this: T): unknown {
      return toJson(this);
    },
  });
}

/** Without trailing zeros of the fraction; JSON has no infinity. */
function decimalJson(value: Decimal128): unknown {
  const text = value.toString();
  if (!/\d/.test(text)) return null;
  return rawJSON(text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''));
}
