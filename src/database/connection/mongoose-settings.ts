import { Long } from 'mongodb';
import mongoose from 'mongoose';

// A filter's value is compared, never run as an operator, unless the code says that it is trusted.
mongoose.set('sanitizeFilter', true);

/**
 * The option with which documents that hold free-form data have to be read. The driver looks field
 * names up in this object; in an ordinary one it finds `constructor` or `toString` and then gives
 * the objects below such a key back as bytes.
 */
export const readAsValues = { fieldsAsRaw: Object.create(null) as Record<string, boolean> };

// An integer that a double does not hold appears in JSON with all its digits.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
Object.assign(Long.prototype, {
  toJSON(this: Long): unknown {
    return rawJSON(this.toString());
  },
});
