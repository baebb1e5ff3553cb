/**
 * The driver takes the fields that this option names as bytes; its default is an object with inherited members such as
 * `toString`, so that stored fields of these names would come back as bytes.
 */
export const ownKeys = { fieldsAsRaw: '' } as object;
