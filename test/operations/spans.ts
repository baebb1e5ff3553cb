import type { Receiver } from '../support/receiver.js';

/** The spans that a collector got as OTLP over HTTP, with the numbers that the protocol gives its fields. */
export function receivedSpans({ received }: Receiver) {
  return received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ bytes }) => all(bytes, 1))
    .flatMap((resource) => all(resource, 2))
    .flatMap((scope) => all(scope, 2))
    .map((span) => ({
      traceId: first(span, 1).toString('hex'),
      spanId: first(span, 2).toString('hex'),
      parentId: first(span, 4).toString('hex'),
      name: first(span, 5).toString(),
      attributes: Object.fromEntries(all(span, 9).map(attribute)),
    }));
}

function attribute(pair: Buffer): [string, string | number] {
  const value = first(pair, 2);
  const number = fields(value).find(([field]) => field === 3)?.[1];
  const text = first(value, 1).toString();
  return [first(pair, 1).toString(), typeof number === 'number' ? number : text];
}

function first(message: Buffer, field: number): Buffer {
  return all(message, field)[0] ?? Buffer.alloc(0);
}

function all(message: Buffer, field: number): Buffer[] {
  const found = fields(message).filter(([number]) => number === field);
  return found.map(([, value]) => value).filter((value) => Buffer.isBuffer(value));
}

/** The fields of a message of protocol buffers, by their numbers. */
function fields(message: Buffer): [number, Buffer | number][] {
  const found: [number, Buffer | number][] = [];
  let offset = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[offset++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const bytes = (length: number) => message.subarray(offset, (offset += length));
  const readers: Record<number, () => Buffer | number> = {
    0: varint,
    1: () => bytes(8),
    2: () => bytes(varint()),
    5: () => bytes(4),
  };
  while (offset < message.length) {
    const tag = varint();
    const value = readers[tag & 7]?.();
    if (value === undefined) throw new Error(`There is no such type of field: ${tag & 7}`);
    found.push([tag >> 3, value]);
  }
  return found;
}
