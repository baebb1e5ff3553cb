import { BSONRegExp, Code, Decimal128, Long, MaxKey, MinKey, Timestamp } from 'mongodb';

/**
 * The option with which documents that hold free-form data have to be read. The driver looks field
 * names up in this object; in an ordinary one it finds `constructor` or `toString` and then gives
 * the objects below such a key back as bytes. Patterns of other programs stay as they are stored.
 */
export const readAsValues = {
  fieldsAsRaw: Object.create(null) as Record<string, boolean>,
  bsonRegExp: true,
};

// Values that only the database knows appear in JSON as what they mean, numbers with all their digits.
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

/** Without zeros at the end of the fraction, as JSON has the same number; JSON has no infinity. */
function decimalJson(value: Decimal128): unknown {
  const text = value.toString();
  if (!/\d/.test(text)) return null;
  return rawJSON(text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''));
}
