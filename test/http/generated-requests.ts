import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { basePath } from '../support/shared-service.js';

/** A request with its bytes on the connection and its expected effect. */
export interface GeneratedRequest {
  readonly kind: string;
  /** The `x-request-id` and the id of the lead to create or delete. It is undefined if the parser sees no request. */
  readonly id: string | undefined;
  readonly method: string;
  readonly bytes: string;
  /** The change in the database that shows whether the service executed the request. */
  readonly effect: 'creates' | 'deletes' | undefined;
}

interface Framing {
  readonly isChunked: boolean;
  readonly chunkLength: number;
}

interface Context extends Framing {
  readonly id: string;
  readonly key: string;
}

interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly version?: string;
  readonly headers?: readonly string[];
  readonly hosts?: readonly string[];
  readonly key?: string | null;
  readonly body?: string;
  /** Replaces the generated framing. */
  readonly framing?: readonly string[];
}

const json = 'Content-Type: application/json';
const lead = ({ id }: Context) => JSON.stringify({ recordSystemId: id, name: id });
const post = (context: Context, template: Partial<RequestTemplate> = {}): RequestTemplate => ({
  method: 'POST',
  path: `/${basePath}/leads`,
  body: lead(context),
  ...template,
  headers: [json, ...(template.headers ?? [])],
});
const none = `/${basePath}/leads/none`;
const expect100 = 'Expect: 100-continue';

const kinds: Readonly<Record<string, (context: Context) => RequestTemplate>> = {
  'GET public': () => ({ method: 'GET', path: `/${basePath}/healthz`, key: null }),
  GET: () => ({ method: 'GET', path: none }),
  HEAD: () => ({ method: 'HEAD', path: `/${basePath}/units` }),
  DELETE: ({ id }) => ({ method: 'DELETE', path: `/${basePath}/leads/${id}`, headers: [json] }),
  POST: (context) => post(context),
  'JSON that is empty': (context) => post(context, { body: '', framing: ['Content-Length: 0'] }),
  'JSON without a length': (context) => post(context, { body: '', framing: [] }),
  'JSON that is broken': (context) => post(context, { body: '{"name":' }),
  'another media type': (context) => ({ ...post(context), headers: ['Content-Type: text/plain'] }),
  'a content encoding': (context) => post(context, { headers: ['Content-Encoding: gzip'] }),
  'an unknown path with a body': (context) => post(context, { path: '/nowhere' }),
  'a broken path with a body': (context) => post(context, { path: '/%ff' }),
  'another method': (context) => post(context, { method: 'PUT' }),
  'an unusual method': (context) => post(context, { method: 'PROPFIND' }),
  'no key': (context) => post(context, { key: null }),
  'a bad key': (context) => post(context, { key: 'nope' }),
  'too large a body': (context) => post(context, { body: `${lead(context)}${' '.repeat(3_000)}` }),
  'Expect with GET': () => ({ method: 'GET', path: none, headers: [expect100] }),
  'Expect without a body': (context) =>
    post(context, { body: '', framing: ['Content-Length: 0'], headers: [expect100] }),
  'Expect with its body at once': (context) => post(context, { headers: [expect100] }),
  'Expect with a bad key': (context) => post(context, { headers: [expect100], key: 'nope' }),
  'Expect with too large a body': (context) =>
    post(context, { headers: [expect100], body: `${lead(context)}${' '.repeat(3_000)}` }),
  'another expectation': (context) => post(context, { headers: ['Expect: wonders'] }),
  'Upgrade with a body': (context) =>
    post(context, { headers: ['Connection: Upgrade', 'Upgrade: h2c'] }),
  'Connection: close': (context) => post(context, { headers: ['Connection: close'] }),
  'no host': (context) => post(context, { hosts: [] }),
  'two hosts': (context) => post(context, { hosts: ['x', 'y'] }),
  'HTTP/1.0': (context) => post(context, { version: '1.0', framing: length(lead(context)) }),
  'two transfer encodings': (context) =>
    post(context, {
      framing: ['Transfer-Encoding: gzip, chunked'],
      body: inChunks(lead(context), 9),
    }),
  'a broken chunk': (context) =>
    post(context, { framing: ['Transfer-Encoding: chunked'], body: 'zz\r\n{}\r\n0\r\n\r\n' }),
  'two lengths': (context) =>
    post(context, { framing: [...length('{}'), ...length(lead(context))] }),
  CONNECT: () => ({ method: 'CONNECT', path: 'x:1' }),
};

/** These bytes contain no request. */
const notHttp = ['NONSENSE\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\0\r\n\r\n'];

/** The HTTP parser rejects these kinds, so their responses have generated ids. */
const rejectedByParser: ReadonlySet<string> = new Set(['two lengths', 'CONNECT']);

/** Generates requests in the order in which a connection sends them. */
export function requestSequences(key: string): fc.Arbitrary<readonly GeneratedRequest[]> {
  const framing = fc.record({
    isChunked: fc.boolean(),
    chunkLength: fc.integer({ min: 1, max: 40 }),
  });
  const request = fc
    .tuple(fc.constantFrom(...Object.keys(kinds)), framing)
    .map(([kind, frame]) => ({ kind, frame }));
  const plain = fc.tuple(fc.constantFrom('POST', 'POST', 'GET', 'DELETE'), framing);
  const item = fc.oneof(
    { weight: 4, arbitrary: request },
    { weight: 4, arbitrary: plain.map(([kind, frame]) => ({ kind, frame })) },
    { weight: 1, arbitrary: fc.constantFrom(...notHttp).map((bytes) => ({ bytes })) },
  );
  return fc
    .array(item, { minLength: 1, maxLength: 8 })
    .map((items) =>
      items.map((one) =>
        'bytes' in one
          ? { kind: 'no HTTP', id: undefined, method: '', bytes: one.bytes, effect: undefined }
          : generated(one.kind, { ...one.frame, key, id: `sent-${new ObjectId().toHexString()}` }),
      ),
    );
}

function generated(kind: string, context: Context): GeneratedRequest {
  const template = (kinds[kind] as (context: Context) => RequestTemplate)(context);
  const { method } = template;
  const effects = { POST: 'creates', DELETE: 'deletes' } as const;
  const effect = effects[method as keyof typeof effects] as GeneratedRequest['effect'];
  const id = rejectedByParser.has(kind) ? undefined : context.id;
  return { kind, id, method, bytes: bytesOf(template, context), effect };
}

function bytesOf(template: RequestTemplate, { id, key: validKey, ...frame }: Context): string {
  const { method, path, version = '1.1', headers = [], hosts = ['x'], body } = template;
  const { key = validKey } = template;
  const isChunked = frame.isChunked && template.framing === undefined;
  const ownFraming = isChunked ? ['Transfer-Encoding: chunked'] : length(body ?? '');
  const framing = template.framing ?? (body === undefined ? [] : ownFraming);
  return [
    `${method} ${path} HTTP/${version}`,
    ...hosts.map((host) => `Host: ${host}`),
    `x-request-id: ${id}`,
    ...(key === null ? [] : [`api-key: ${key}`]),
    ...headers,
    ...framing,
    '',
    isChunked && body !== undefined ? inChunks(body, frame.chunkLength) : (body ?? ''),
  ].join('\r\n');
}

function length(body: string): string[] {
  return [`Content-Length: ${Buffer.byteLength(body)}`];
}

function inChunks(body: string, chunkLength: number): string {
  let text = '';
  for (let at = 0; at < body.length; at += chunkLength) {
    const chunk = body.slice(at, at + chunkLength);
    text += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return `${text}0\r\n\r\n`;
}

/** Positions, in thousandths of the length, at which the bytes of a sequence are split into writes. */
export const writeSplits = fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 6 });
