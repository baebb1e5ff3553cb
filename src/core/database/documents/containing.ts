const maxLength = 200;

/** Matches texts that contain the text in any case; of a long one only the beginning. */
export function containing(text: string): { readonly $regex: string; readonly $options: 'i' } {
  // The server refuses null characters and very long expressions. A text with a null character must match nothing.
  const shortened = [...text.replaceAll('\0', '\uFFFD')].slice(0, maxLength).join('');
  return { $regex: shortened.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), $options: 'i' };
}
