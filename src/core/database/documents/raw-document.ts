import { BSON, BSONType } from 'mongodb';
import { readAsValues } from '../connection/mongoose-settings.js';

const { ByteUtils, parseToElements } = BSON.onDemand;

/** A document as the server has sent it: who shows it as JSON needs no object of it. */
export class RawDocument<T extends object> {
  /** @param bytes BSON */
  constructor(readonly bytes: Uint8Array) {}

  /** The object that the driver would have given; what is no UTF-8 in its texts is replaced. */
  decoded(): T {
    return decode(this.bytes) as T;
  }
}

/** A value where it stands in the bytes of a document. */
export class RawValue {
  /**
   * @param bytes the document, or one that it is part of
   * @param type a `BSONType`
   * @param offset where its bytes begin, behind its name
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly type: number,
    readonly offset: number,
    readonly length: number,
  ) {}

  /** The items of a list; null where it is none. */
  items(): RawValue[] | null {
    if (this.type !== BSONType.array) return null;
    const items: RawValue[] = [];
    for (const [type, , , offset, length] of parseToElements(this.bytes, this.offset)) {
      items.push(new RawValue(this.bytes, type, offset, length));
    }
    return items;
  }

  /** The hexadecimal form of an id; empty where it is none. */
  hex(): string {
    if (this.type !== BSONType.objectId) return '';
    return ByteUtils.toHex(this.bytes.subarray(this.offset, this.offset + this.length));
  }

  /** What the driver would have given; undefined where the document lacks it. */
  decoded(): unknown {
    if (this.type === BSONType.undefined) return undefined;
    if (this.type === BSONType.null) return null;
    // A document that has nothing else, under an empty name.
    const document = new Uint8Array(4 + 1 + 1 + this.length + 1);
    new DataView(document.buffer).setInt32(0, document.length, true);
    document[4] = this.type;
    document.set(this.bytes.subarray(this.offset, this.offset + this.length), 6);
    return decode(document)[''];
  }
}

/** Stands for what a document lacks. */
const missing = new RawValue(new Uint8Array(), BSONType.undefined, 0, 0);

/** A value for each name. */
type Values<Names extends readonly string[]> = { -readonly [Index in keyof Names]: RawValue };

interface Name {
  readonly bytes: Buffer;
  readonly index: number;
}

/** Names of fields, which are found in documents without making texts of the names there. */
export class FieldNames<const Names extends readonly string[] = readonly string[]> {
  private readonly allMissing: readonly RawValue[];
  private readonly byKey: ReadonlyMap<number, readonly Name[]>;

  constructor(names: Names) {
    this.allMissing = names.map(() => missing);
    const known = names.map((name, index) => ({ bytes: Buffer.from(name), index }));
    this.byKey = Map.groupBy(known, ({ bytes }) => keyOf(bytes, 0, bytes.length));
  }

  /**
   * The values of the fields, in the order of the names.
   *
   * @param offset where the document begins
   */
  valuesIn(bytes: Uint8Array, offset = 0): Values<Names> {
    const values = [...this.allMissing];
    for (const [type, nameAt, nameLength, at, length] of parseToElements(bytes, offset)) {
      const index = this.indexOf(bytes, nameAt, nameLength);
      if (index !== undefined) values[index] = new RawValue(bytes, type, at, length);
    }
    return values as Values<Names>;
  }

  private indexOf(bytes: Uint8Array, offset: number, length: number): number | undefined {
    const candidates = this.byKey.get(keyOf(bytes, offset, length));
    return candidates?.find((name) => isSame(name.bytes, bytes, offset, length))?.index;
  }
}

/** Tells most names apart; those of a document are all looked up. */
function keyOf(bytes: Uint8Array, offset: number, length: number): number {
  const [first = 0, last = 0] = [bytes[offset], bytes[offset + length - 1]];
  return (length << 16) | (first << 8) | last;
}

function isSame(name: Buffer, bytes: Uint8Array, offset: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let at = 0; at < length; at++) if (name[at] !== bytes[offset + at]) return false;
  return true;
}

function decode(bytes: Uint8Array): Record<string, unknown> {
  return BSON.deserialize(bytes, { ...readAsValues, validation: { utf8: false } });
}
