import { isUtf8 } from 'node:buffer';

const initialBytes = 16_384;
const digits = Buffer.from('0123456789abcdef');
const [quote, backslash, firstPrintable] = [0x22, 0x5c, 0x20];

/**
 * JSON text as it is sent, in UTF-8. Texts are copied into it from where they are stored: to make strings of
 * them, and bytes of these again, takes a large response twice as long.
 */
export class JsonBytes {
  private bytes = Buffer.allocUnsafe(initialBytes);
  private end = 0;

  /** How much has been written. */
  get length(): number {
    return this.end;
  }

  /** Takes back what was written behind a {@link length} of before. */
  cut(length: number): void {
    this.end = length;
  }

  /** Adds what is JSON already, in ASCII: names of fields, numbers, times. */
  ascii(text: string): void {
    this.reserve(text.length);
    const { bytes } = this;
    let { end } = this;
    for (let at = 0; at < text.length; at++) bytes[end++] = text.charCodeAt(at);
    this.end = end;
  }

  /** Adds what is JSON already. */
  json(text: string): void {
    this.reserve(3 * text.length);
    this.end += this.bytes.write(text, this.end);
  }

  /** Adds a text in quotes, from its bytes in UTF-8. */
  text(source: Uint8Array, from: number, to: number): void {
    this.reserve(to - from + 2);
    const { bytes } = this;
    let { end } = this;
    bytes[end++] = quote;
    for (let at = from; at < to; at++) {
      const byte = source[at] as number;
      if (byte === quote || byte === backslash || byte < firstPrintable) {
        return this.json(JSON.stringify(utf8(source.subarray(from, to))));
      }
      bytes[end++] = byte;
    }
    bytes[end++] = quote;
    this.end = end;
  }

  /** Adds a text in quotes: the hexadecimal form of some bytes. */
  hexadecimal(source: Uint8Array, from: number, to: number): void {
    this.reserve(2 * (to - from) + 2);
    const { bytes } = this;
    let { end } = this;
    bytes[end++] = quote;
    for (let at = from; at < to; at++) {
      const byte = source[at] as number;
      bytes[end++] = digits[byte >> 4] as number;
      bytes[end++] = digits[byte & 15] as number;
    }
    bytes[end++] = quote;
    this.end = end;
  }

  /** What was written, and begins anew. What is no UTF-8 in the texts is replaced. */
  take(): Buffer {
    const written = this.bytes.subarray(0, this.end);
    this.end = 0;
    return Buffer.from(isUtf8(written) ? written : utf8(written));
  }

  private reserve(count: number): void {
    const needed = this.end + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
