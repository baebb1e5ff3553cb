import { startOpsListener } from '../../src/start.js';
import { startTestService, type TestService } from '../support/test-service.js';

export const password = 'correct horse battery';
/** The hash has a low cost, so that logins are fast. */
export const OPS_PASSWORD =
  'scrypt:1024:8:1:AQEBAQEBAQEBAQEBAQEBAQ:WvuR6uIt_Cntg1wWoGqPWR7w14QkRQFzQLhWM6RBjpc';

export interface ConsolePageResponse {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
  readonly location: string | null;
}

/** A service with its console and a logged-in session. */
export interface TestConsole extends TestService {
  /** The origin of the listener on OPS_PORT. */
  readonly operations: string;
  readonly cookie: string;
  /** Loads a page below `/console`, with the session unless the headers contain another cookie. */
  get(path: string, headers?: Record<string, string>): Promise<ConsolePageResponse>;
  /**
   * @returns the text of a page
   * @throws Error if the status is not 200
   */
  text(path: string): Promise<string>;
  /** Sends a form with the session's form token. */
  post(path: string, form?: Record<string, string>): Promise<ConsolePageResponse>;
  /** @returns the path below `/console` to which the search redirects, or else the text of the results */
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
  const operations = (await startOpsListener(service.service)) ?? '';
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

export function tokenIn(html: string): string {
  return /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

async function logIn(operations: string): Promise<string> {
  const body = new URLSearchParams({ password });
  const { headers } = await send(`${operations}/console/login`, { method: 'POST', body });
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Returns a page's text as a reader sees it, without tags. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

export async function send(url: string, init: RequestInit = {}): Promise<ConsolePageResponse> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  return { status, headers, html: await response.text(), location: headers.get('location') };
}
