import { startOperations } from '../../src/start.js';
import { startTestService, type TestService } from '../support/test-service.js';

/** The operator's password of the tests. */
export const password = 'correct horse battery';
/** Its hash, with less work than a password deserves. */
export const OPS_PASSWORD =
  'scrypt:1024:8:1:AQEBAQEBAQEBAQEBAQEBAQ:WvuR6uIt_Cntg1wWoGqPWR7w14QkRQFzQLhWM6RBjpc';

/** A page as a browser gets it. */
export interface ConsolePageResponse {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
  /** Where a redirect leads. */
  readonly location: string | null;
}

/** A service with its console, and a reader who is logged in to it. */
export interface TestConsole extends TestService {
  /** Address of the operations listener without path. */
  readonly operations: string;
  /** The cookie of the reader's session. */
  readonly cookie: string;
  /** Loads a page below `/console`, logged in unless the headers have another cookie. */
  get(path: string, headers?: Record<string, string>): Promise<ConsolePageResponse>;
  /** Sends a form with the token of the session. */
  post(path: string, form?: Record<string, string>): Promise<ConsolePageResponse>;
}

/** Starts a service whose console one is logged in to; variables are those of the environment. */
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
    token ??= /name="token" value="([^"]+)"/.exec((await get('')).html)?.[1] ?? '';
    const body = new URLSearchParams({ token, ...form });
    return send(`${operations}/console${path}`, { method: 'POST', body, headers: { cookie } });
  };
  return { ...service, operations, cookie, get, post };
}

/** Logs in; gives the cookie of the session. */
async function logIn(operations: string): Promise<string> {
  const body = new URLSearchParams({ password });
  const { headers } = await send(`${operations}/console/login`, { method: 'POST', body });
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** A request whose redirect is not followed. */
export async function send(url: string, init: RequestInit = {}): Promise<ConsolePageResponse> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  return { status, headers, html: await response.text(), location: headers.get('location') };
}
