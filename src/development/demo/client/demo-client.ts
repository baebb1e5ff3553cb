import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Language } from '../../../core/localization/language.js';
import { basePath } from '../../../core/http/base-path.js';
import { difference } from './difference.js';
import { readableJson } from './readable-json.js';

/** Takes one line of the demo's text. */
export type Print = (line: string) => void;

/** Where requests are sent to, and with which key. */
export interface DemoAddress {
  /** Without path. */
  readonly url: string;
  readonly key: string;
}

/** A request of the demo; `path` is below the API's base path. */
export interface DemoRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly language?: Language;
  readonly body?: object;
  /** The entity tag of an earlier response. */
  readonly etag?: string | null;
  /** Sent instead of the demo's own key; null sends none. */
  readonly key?: string | null;
}

/** What came back. */
interface DemoResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text when it is none. */
  readonly body: unknown;
}

/** What has to come back; the body may have more than is expected of it. */
interface ExpectedResponse {
  readonly status: number;
  /** Headers that are shown too. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
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
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    const { status, headers } = response;
    return { status, headers, body: parsed(await response.text()) };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new Error(`${nameOf(request)} got no response: ${reason}`, { cause: error });
  }
}

/** Sends the demo's requests, shows them and checks what comes back. */
export class DemoClient {
  private requests = 0;

  constructor(
    private readonly address: DemoAddress,
    private readonly print: Print,
  ) {}

  /** How many requests have been sent so far. */
  get requestCount(): number {
    return this.requests;
  }

  /**
   * Sends a request and prints it and its response.
   *
   * @throws Error with one line when the response is not the expected one
   */
  async show(request: DemoRequest, expected: ExpectedResponse): Promise<void> {
    this.print('');
    this.print(`  > ${nameOf(request)}${notesOf(request)}`);
    if (request.body !== undefined) this.printBody(request.body);
    const response = await this.send(request);
    this.print(`  < ${response.status} ${STATUS_CODES[response.status] ?? ''}`.trimEnd());
    for (const name of Object.keys(expected.headers ?? {})) {
      this.print(`${margin}${name}: ${response.headers.get(name) ?? '(missing)'}`);
    }
    if (response.body !== '') this.printBody(abridged(response.body));
    check(request, response, expected);
  }

  /**
   * Sends a request without printing anything.
   *
   * @throws Error with one line when the response is not the expected one
   */
  async ask(request: DemoRequest, expected: ExpectedResponse): Promise<DemoResponse> {
    const response = await this.send(request);
    check(request, response, expected);
    return response;
  }

  private send(request: DemoRequest): Promise<DemoResponse> {
    this.requests += 1;
    return exchange(this.address, request);
  }

  private printBody(body: unknown): void {
    for (const line of readableJson(body, width - margin.length)) this.print(`${margin}${line}`);
  }
}

function headersOf(address: DemoAddress, request: DemoRequest): Record<string, string> {
  const key = request.key === undefined ? address.key : request.key;
  return {
    ...(key === null ? {} : { 'api-key': key }),
    ...(request.language === undefined ? {} : { language: request.language }),
    ...(request.etag ? { 'if-none-match': request.etag } : {}),
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
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

function notesOf({ language, key, etag }: DemoRequest): string {
  const notes = [
    ...(language === undefined ? [] : [`language: ${language}`]),
    ...(etag ? [`if-none-match: ${etag.slice(0, 9)}...`] : []),
    ...(key === null ? ['no api-key'] : []),
    ...(typeof key === 'string' ? [`api-key: ${key}`] : []),
  ];
  return notes.length === 0 ? '' : `  (${notes.join(', ')})`;
}

/** The response repeats the lead for earlier clients; the reader need not read it twice. */
function abridged(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if (!('lead' in body && 'newLead' in body)) return body;
  if (!isDeepStrictEqual(body.lead, body.newLead)) return body;
  return { ...body, newLead: '(the same as lead)' };
}

function check(request: DemoRequest, response: DemoResponse, expected: ExpectedResponse): void {
  const { status, body } = response;
  const headers = Object.fromEntries(response.headers);
  const found =
    difference(status, expected.status, 'the status') ??
    difference(headers, expected.headers ?? {}, 'headers') ??
    difference(body, expected.body, 'body');
  if (found === null) return;
  const responseText = readableJson(body, Number.POSITIVE_INFINITY).join('').slice(0, 300);
  throw new Error(`${nameOf(request)}: ${found} (response ${status} ${responseText})`);
}
