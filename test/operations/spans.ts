import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface SpanReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Everything that was received, as text. */
  readonly text: () => string;
  stop(): Promise<void>;
}

/** A collector that takes OTLP over HTTP and keeps the spans. */
export async function startSpanReceiver(): Promise<SpanReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      bodies.push(body);
      if (request.url === '/v1/traces') spans.push(...spansOf(body));
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => Buffer.concat(bodies).toString('latin1'),
    stop: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The numbers of the fields that the protocol gives them. */
const fieldNumbers = { resourceSpans: 1, scopeSpans: 2, spans: 2, attributes: 9 };

function spansOf(request: Buffer): ReceivedSpan[] {
  return all(request, fieldNumbers.resourceSpans)
    .flatMap((resource) => all(resource, fieldNumbers.scopeSpans))
    .flatMap((scope) => all(scope, fieldNumbers.spans))
    .map((span) => ({
      traceId: first(span, 1).toString('hex'),
      spanId: first(span, 2).toString('hex'),
      parentId: first(span, 4).toString('hex'),
      name: first(span, 5).toString(),
      attributes: Object.fromEntries(all(span, fieldNumbers.attributes).map(attribute)),
    }));
}

function attribute(pair: Buffer): [string, string | number] {
  const value = first(pair, 2);
  const number = fields(value).find(([field]) => field === 3)?.[1];
  return [
    first(pair, 1).toString(),
    typeof number === 'number' ? number : first(value, 1).toString(),
  ];
}

function first(message: Buffer, field: number): Buffer {
  return all(message, field)[0] ?? Buffer.alloc(0);
}

function all(message: Buffer, field: number): Buffer[] {
  return fields(message).flatMap(([number, value]) =>
    number === field && Buffer.isBuffer(value) ? [value] : [],
  );
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
