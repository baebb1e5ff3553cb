import { partialDeepStrictEqual } from 'node:assert';
import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Language } from '../../core/localization/language.js';
import { basePath } from '../../core/http/base-path.js';
import { objectOf } from '../../core/values/plain-object.js';
import { scalarText } from '../../core/values/scalar.js';
import { readableJson } from './readable-json.js';

/** Takes one line of the demo's text. */
export type Print = (line: string) => void;

/** Where requests are sent to, and with which key. */
interface DemoAddress {
  /** Without path. */
  readonly url: string;
  readonly key: string;
}

interface DemoRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the API's base path. */
  readonly path: string;
  readonly language?: Language;
  readonly body?: object;
  /** The entity tag of an earlier response. */
  readonly etag?: string;
  /** Sent instead of the demo's own key; null sends none. */
  readonly key?: string | null;
}

interface DemoResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text when it is none. */
  readonly body: unknown;
}

/** A request and its expected response. A text of the request may name captured values as `{name}`. */
export interface Step {
  readonly request: DemoRequest;
  /** The response may have more; headers that are expected are shown. */
  readonly expected: Partial<DemoResponse>;
  /** Values for later requests, by their dotted paths in the response, which has to have them. */
  readonly captured?: Readonly<Record<string, string>>;
  /** Sent without being shown. */
  readonly isSilent?: boolean;
}

const width = 100;
const margin = '    ';
const requestTimeoutMs = 15_000;

/**
 * Sends one request over HTTP.
 *
 * @throws Error with one line when there is no response within 15 seconds
 */
export async function exchange(address: DemoAddress, request: DemoRequest): Promise<DemoResponse> {
  try {
    const response = await fetch(`${address.url}/${basePath}/${request.path}`, {
      method: request.method,
      headers: headersOf(address, request),
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
      ...(request.body && { body: JSON.stringify(request.body) }),
    });
    const { status, headers } = response;
    return { status, headers: Object.fromEntries(headers), body: parsed(await response.text()) };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new Error(`${nameOf(request)} got no response: ${reason}`, { cause: error });
  }
}

/** Sends the demo's requests, shows them and checks what comes back. */
export class DemoClient {
  /** How many requests have been sent so far. */
  requestCount = 0;

  constructor(
    private readonly address: DemoAddress,
    private readonly print: Print,
    private readonly captured: Record<string, string>,
  ) {}

  /**
   * Sends a request and, unless it is silent, prints it and its response.
   *
   * @throws Error with one line when the response is not the expected one
   */
  async run({ expected, captured = {}, isSilent = false, ...step }: Step): Promise<DemoResponse> {
    const request = this.withCaptured(step.request);
    if (!isSilent) this.printRequest(request);
    this.requestCount += 1;
    const response = await exchange(this.address, request);
    if (!isSilent) this.printResponse(response, expected);
    check(request, response, expected);
    for (const [name, path] of Object.entries(captured)) {
      const found = path.split('.').reduce<unknown>((part, key) => objectOf(part)[key], response);
      const value = scalarText(found);
      if (value === '') throw new Error(`${nameOf(request)}: the response lacks ${path}`);
      this.captured[name] = value;
    }
    return response;
  }

  /** A text with captured values in place of their names. */
  filled(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (named, name: string) => this.captured[name] ?? named);
  }

  private withCaptured(request: DemoRequest): DemoRequest {
    return JSON.parse(JSON.stringify(request), (_key, value: unknown) =>
      typeof value === 'string' ? this.filled(value) : value,
    ) as DemoRequest;
  }

  private printRequest(request: DemoRequest): void {
    const { language, key, etag, body } = request;
    const notes = [
      ...(language ? [`language: ${language}`] : []),
      ...(etag ? [`if-none-match: ${etag.slice(0, 9)}...`] : []),
      ...(key === null ? ['no api-key'] : []),
      ...(key ? [`api-key: ${key}`] : []),
    ];
    this.print('');
    this.print(`  > ${nameOf(request)}${notes.length === 0 ? '' : `  (${notes.join(', ')})`}`);
    if (body !== undefined) this.printBody(body);
  }

  private printResponse({ status, headers, body }: DemoResponse, expected: Step['expected']): void {
    this.print(`  < ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd());
    for (const name of Object.keys(expected.headers ?? {})) {
      this.print(`${margin}${name}: ${headers[name] ?? '(missing)'}`);
    }
    if (body !== '') this.printBody(abridged(body));
  }

  /** Prints a value as indented JSON. */
  printBody(body: unknown): void {
    for (const line of readableJson(body, width - margin.length)) this.print(`${margin}${line}`);
  }
}

function headersOf(address: DemoAddress, request: DemoRequest): Record<string, string> {
  const { key = address.key, language, etag, body } = request;
  return {
    ...(key !== null && { 'api-key': key }),
    ...(language && { language }),
    ...(etag && { 'if-none-match': etag }),
    ...(body && { 'content-type': 'application/json' }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function nameOf({ method, path }: DemoRequest): string {
  return `${method} /${basePath}/${path}`;
}

/** The response repeats the lead for earlier clients; the reader need not read it twice. */
function abridged(body: unknown): unknown {
  const { lead, newLead } = objectOf(body);
  const isRepeated = newLead !== undefined && isDeepStrictEqual(lead, newLead);
  return isRepeated ? { ...objectOf(body), newLead: '(the same as lead)' } : body;
}

function check(request: DemoRequest, response: DemoResponse, expected: Step['expected']): void {
  try {
    partialDeepStrictEqual(response, expected);
  } catch {
    const found =
      response.status === expected.status
        ? `the response lacks ${JSON.stringify(expected).slice(0, 300)}`
        : `the status is ${response.status} instead of ${expected.status}`;
    const responseText = JSON.stringify(response.body).slice(0, 300);
    throw new Error(`${nameOf(request)}: ${found} (response ${response.status} ${responseText})`);
  }
}
