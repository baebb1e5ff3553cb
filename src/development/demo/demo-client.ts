import { partialDeepStrictEqual } from 'node:assert';
import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { KeyPurpose } from '../../tenants/keys/permissions.js';
import type { Language } from '../../core/localization/language.js';
import { basePath } from '../../core/http/server/route-options.js';
import { objectOf, scalarText } from '../../core/values/json.js';

export type Print = (line: string) => void;

interface DemoTarget {
  readonly url: string;
  readonly keys: ReadonlyMap<KeyPurpose, string>;
}

interface DemoRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly language?: Language;
  readonly body?: object;
  readonly etag?: string;
  /** Selects the demo key by purpose; the default key may do everything. */
  readonly as?: KeyPurpose;
  /** Replaces the demo key; null sends none. */
  readonly key?: string | null;
}

interface DemoResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The request may name captured values as `{name}`. */
export interface Step {
  readonly request: DemoRequest;
  /** The response must contain these values. Expected headers are printed. */
  readonly expected: Partial<DemoResponse>;
  /** Maps the names that later requests use to dotted paths in the response. */
  readonly captured?: Readonly<Record<string, string>>;
  readonly isSilent?: boolean;
  /** This text is printed after the response. */
  readonly says?: string;
}

const margin = '    ';
const requestTimeoutMs = 15_000;

async function sendRequest(address: DemoTarget, request: DemoRequest): Promise<DemoResponse> {
  try {
    const response = await fetch(`${address.url}/${basePath}/${request.path}`, {
      method: request.method,
      headers: headersOf(address, request),
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
      ...(request.body && { body: JSON.stringify(request.body) }),
    });
    const { status, headers } = response;
    const text = await response.text();
    const body: unknown = text === '' ? '' : JSON.parse(text);
    return { status, headers: Object.fromEntries(headers), body };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new Error(`${nameOf(request)} got no response: ${reason}`, { cause: error });
  }
}

export class DemoClient {
  requestCount = 0;

  constructor(
    private readonly address: DemoTarget,
    private readonly print: Print,
    private readonly captured: Record<string, string>,
  ) {}

  async run({ expected, captured = {}, isSilent = false, says, ...step }: Step): Promise<void> {
    const request = this.fillRequest(step.request);
    if (!isSilent) this.printRequest(request);
    this.requestCount += 1;
    const response = await sendRequest(this.address, request);
    if (!isSilent) this.printResponse(response, expected);
    compare(request, response, expected);
    for (const [name, path] of Object.entries(captured)) {
      const found = path.split('.').reduce<unknown>((part, key) => objectOf(part)[key], response);
      const value = scalarText(found);
      if (value === '') throw new Error(`${nameOf(request)}: the response has no ${path}`);
      this.captured[name] = value;
    }
    if (says !== undefined) this.print(`  ${this.fill(says)}`);
  }

  fill(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (named, name: string) => this.captured[name] ?? named);
  }

  private fillRequest(request: DemoRequest): DemoRequest {
    return JSON.parse(JSON.stringify(request), (_key, value: unknown) =>
      typeof value === 'string' ? this.fill(value) : value,
    ) as DemoRequest;
  }

  private printRequest(request: DemoRequest): void {
    const { language, as, key, etag, body } = request;
    const headers = { language, 'if-none-match': etag?.slice(0, 9), key: as, 'api-key': key };
    const notes = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : `${name}: ${value ?? 'none'}`,
    );
    this.print('');
    this.print(`  > ${nameOf(request)}${notes.length === 0 ? '' : `  (${notes.join(', ')})`}`);
    if (body !== undefined) this.printBody(body);
  }

  private printResponse({ status, headers, body }: DemoResponse, expected: Step['expected']): void {
    this.print(`  < ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd());
    for (const name of Object.keys(expected.headers ?? {})) {
      this.print(`${margin}${name}: ${headers[name] ?? '(missing)'}`);
    }
    if (body !== '') this.printBody(abridge(body));
  }

  printBody(body: unknown): void {
    for (const line of JSON.stringify(body, null, 2).split('\n')) this.print(margin + line);
  }
}

function headersOf(address: DemoTarget, request: DemoRequest): Record<string, string> {
  const { as = 'everything', key = address.keys.get(as), language, etag, body } = request;
  return {
    ...(key && { 'api-key': key }),
    ...(language && { language }),
    ...(etag && { 'if-none-match': etag }),
    ...(body && { 'content-type': 'application/json' }),
  };
}

function nameOf({ method, path }: DemoRequest): string {
  return `${method} /${basePath}/${path}`;
}

/** Removes the copy of the lead that responses repeat for earlier clients. */
function abridge(body: unknown): unknown {
  const { lead, newLead } = objectOf(body);
  const isRepeated = newLead !== undefined && isDeepStrictEqual(lead, newLead);
  return isRepeated ? { ...objectOf(body), newLead: '(the same as lead)' } : body;
}

function compare(request: DemoRequest, response: DemoResponse, expected: Step['expected']): void {
  try {
    partialDeepStrictEqual(response, expected);
  } catch {
    const found =
      response.status === expected.status
        ? `the response has no ${JSON.stringify(expected).slice(0, 300)}`
        : `the status is ${response.status} instead of ${expected.status}`;
    const responseText = JSON.stringify(response.body).slice(0, 300);
    throw new Error(`${nameOf(request)}: ${found} (response ${response.status} ${responseText})`);
  }
}
