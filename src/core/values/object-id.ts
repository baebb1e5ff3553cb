/** Whether a text is the 24 hexadecimal digits of an ObjectId, in either case. */
export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{24}$/i.test(text);
}
