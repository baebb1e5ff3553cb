import { isUtf8 } from 'node:buffer';

const remedy = 'Save it as UTF-8 (in Excel: "CSV UTF-8"), then run the command again.';

/**
 * Names in another encoding would be stored unreadably.
 *
 * @throws Error for a file that is not UTF-8
 */
export function utf8Text(bytes: Buffer): string {
  if (isUtf16(bytes)) throw new Error(`The file is UTF-16. ${remedy}`);
  if (!isUtf8(bytes)) throw new Error(`The file is not UTF-8. ${remedy}`);
  // Unlike `toString`, it removes a byte-order mark.
  return new TextDecoder().decode(bytes);
}

/** Detects UTF-16 without a byte-order mark: an ASCII first character has exactly one zero byte. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  const hasMark = ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2));
  return hasMark || (first === 0) !== (second === 0);
}
