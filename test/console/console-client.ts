import { startOperations } from '../../src/start.js';
import { startTestService, type TestService } from '../support/test-service.js';

export const password = 'correct horse battery';
/** The hash of the password, with little work. */
export const OPS_PASSWORD =
  'scrypt:1024:8:1:AQEBAQEBAQEBAQEBAQEBAQ:WvuR6uIt_Cntg1wWoGqPWR7w14QkRQFzQLhWM6RBjpc';

export interface ConsolePageResponse {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
  /** Where a redirect leads. */
  readonly location: string | null;
}

/** A service with its console, and a reader with a session. */
export interface TestConsole extends TestService {
  /** The address of the operations listener, without a path. */
  readonly operations: string;
  readonly cookie: string;
  /** Loads a page below `/console`, with the session unless the headers have another cookie. */
  get(path: string, headers?: Record<string, string>): Promise<ConsolePageResponse>;
  /** The text of a page. @throws Error when its status is not 200 */
  text(path: string): Promise<string>;
  /** Sends a form with the token of the session. */
  post(path: string, form?: Record<string, string>): Promise<ConsolePageResponse>;
  /** The path of the page below `/console` to which a search leads, or the text of its results. */
  find(reference: string): Promise<string>;
}

export async function startConsole(
  variables: Record<string, string> = {},
  databaseUri?: string,
): Promise<TestConsole> {
  const service = await startTestService(
    { OPS_PORT: '0', OPS_PASSWORD, ...variables },
    databaseUri,
  );
  const operations = (await startOperations(service.service)) ?? '';
  const cookie = await logIn(operations);
  const get = (path: string, headers: Record<string, string> = {}) =>
    send(`${operations}/console${path}`, { headers: { cookie, ...headers } });
  let token: string | undefined;
  const post = async (path: string, form: Record<string, string> = {}) => {
    token ??= tokenIn((await get('')).html);
    const body = new URLSearchParams({ token, ...form });
    return send(`${operations}/console${path}`, { method: 'POST', body, headers: { cookie } });
  };
  const text = async (path: string) => {
    const { status, html } = await get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${textOf(html)}`);
    return textOf(html);
  };
  const find = async (reference: string) => {
    const { location, html } = await post('/search', { reference });
    return location?.replace('/console', '') ?? textOf(html);
  };
  return { ...service, operations, cookie, get, text, post, find };
}

/** The token of the forms of a page. */
export function tokenIn(html: string): string {
  return /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** @returns the cookie of a new session */
async function logIn(operations: string): Promise<string> {
  const body = new URLSearchParams({ password });
  const { headers } = await send(`${operations}/console/login`, { method: 'POST', body });
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** The text of a page without its tags, as a reader sees it. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

/** Sends a request and does not follow its redirect. */
export async function send(url: string, init: RequestInit = {}): Promise<ConsolePageResponse> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  return { status, headers, html: await response.text(), location: headers.get('location') };
}
