import mongoose from 'mongoose';

// A filter's value is compared, never run as an operator, unless the code says that it is trusted.
mongoose.set('sanitizeFilter', true);

/**
 * The option with which documents that hold free-form data have to be read. The driver looks field
 * names up in this object; in an ordinary one it finds `constructor` or `toString` and then gives
 * the objects below such a key back as bytes.
 */
export const readAsValues = { fieldsAsRaw: Object.create(null) as Record<string, boolean> };
