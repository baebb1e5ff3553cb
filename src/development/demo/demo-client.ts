import { partialDeepStrictEqual } from 'node:assert';
import { STATUS_CODES } from 'node:http';
import type { KeyPurpose } from '../../tenants/keys/operations.js';
import { basePath } from '../../core/http/requests/route-options.js';
import { asObject, scalarText } from '../../core/values/json.js';

export type Print = (line: string) => void;

interface DemoTarget {
  readonly url: string;
  readonly keys: ReadonlyMap<KeyPurpose, string>;
}

interface DemoRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Selects the demo key by purpose; the default key may do everything. */
  readonly as?: KeyPurpose;
  /** Sends no key. */
  readonly key?: null;
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
}

const margin = '    ';
const maxWidth = 100;
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
  private readonly captured: Record<string, string> = {};

  constructor(
    private readonly address: DemoTarget,
    private readonly print: Print,
  ) {}

  /** @throws Error of one line when the response is not as expected */
  async run({ expected, captured = {}, ...step }: Step): Promise<void> {
    const request = this.fillRequest(step.request);
    this.printRequest(request);
    const response = await sendRequest(this.address, request);
    this.printResponse(response, expected);
    compare(request, response, expected);
    for (const [name, path] of Object.entries(captured)) {
      const found = path.split('.').reduce<unknown>((part, key) => asObject(part)[key], response);
      const value = scalarText(found);
      if (value === '') throw new Error(`${nameOf(request)}: the response has no ${path}`);
      this.captured[name] = value;
    }
  }

  private fill(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (named, name: string) => this.captured[name] ?? named);
  }

  private fillRequest(request: DemoRequest): DemoRequest {
    return JSON.parse(JSON.stringify(request), (_key, value: unknown) =>
      typeof value === 'string' ? this.fill(value) : value,
    ) as DemoRequest;
  }

  private printRequest(request: DemoRequest): void {
    const { as, key, body } = request;
    const used = key === null ? 'none' : as;
    this.print('');
    this.print(`  > ${nameOf(request)}${used === undefined ? '' : `  (key: ${used})`}`);
    if (body !== undefined) this.printBody(body);
  }

  private printResponse({ status, headers, body }: DemoResponse, expected: Step['expected']): void {
    this.print(`  < ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd());
    for (const name of Object.keys(expected.headers ?? {})) {
      this.print(`${margin}${name}: ${headers[name] ?? '(missing)'}`);
    }
    if (body !== '') this.printBody(abridge(body));
  }

  private printBody(body: unknown): void {
    for (const line of JSON.stringify(body, null, 2).split('\n')) {
      const text = margin + line;
      this.print(text.length <= maxWidth ? text : `${text.slice(0, maxWidth - 1)}…`);
    }
  }
}

function headersOf(address: DemoTarget, request: DemoRequest): Record<string, string> {
  const { as = 'everything', key = address.keys.get(as), body } = request;
  return {
    ...(key && { 'api-key': key }),
    ...(body && { 'content-type': 'application/json' }),
  };
}

function nameOf({ method, path }: DemoRequest): string {
  return `${method} /${basePath}/${path}`;
}

/** Shows the first item of each list only, and the copy of the lead that responses repeat for earlier clients by name. */
function abridge(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) => {
    if (name === 'newLead') return '(the same as lead)';
    if (!Array.isArray(value) || value.length < 2) return value;
    return [value[0], `(and ${value.length - 1} more)`] as unknown[];
  });
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
