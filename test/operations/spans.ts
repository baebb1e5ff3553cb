import type { Receiver } from '../support/receiver.js';

/** Returns the spans of OTLP requests. The numbers in the code are protobuf field numbers. */
export function receivedSpans({ received }: Receiver) {
  return received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ bytes }) => valuesOf(bytes, 1))
    .flatMap((resource) => valuesOf(resource, 2))
    .flatMap((scope) => valuesOf(scope, 2))
    .map((span) => ({
      traceId: first(span, 1).toString('hex'),
      spanId: first(span, 2).toString('hex'),
      parentId: first(span, 4).toString('hex'),
      name: first(span, 5).toString(),
      attributes: Object.fromEntries(valuesOf(span, 9).map(attribute)),
    }));
}

function attribute(pair: Buffer): [name: string, value: string] {
  const value = first(pair, 2);
  const [string, number] = [first(value, 1), first(value, 3)].map(String);
  return [first(pair, 1).toString(), string || number || ''];
}

const first = (message: Buffer, field: number) => valuesOf(message, field)[0] ?? Buffer.alloc(0);

/** Returns all values of a field in a protocol buffers message, with numbers as digits. */
function valuesOf(message: Buffer, field: number): Buffer[] {
  const found: Buffer[] = [];
  let offset = 0;
  const varint = () => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = message[offset++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (offset < message.length) {
    const tag = varint();
    const type = tag & 7;
    const length = type === 2 ? varint() : { 1: 8, 5: 4 }[type];
    const value =
      length === undefined
        ? Buffer.from(String(varint()))
        : message.subarray(offset, (offset += length));
    if (tag >> 3 === field) found.push(value);
  }
  return found;
}
