import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import type { Session } from '../console-sessions/console-sessions.service.js';
import { Alert, Card, consolePath, Form } from './components/components.js';
import { PageLayout } from './layout.js';
import {
  CurrentRenderContext,
  type PageContent,
  type RenderContext,
  type StringValues,
} from './page.js';

/** Preact escapes the content. */
export function sendPage(
  context: RenderContext,
  reply: FastifyReply,
  title: string,
  { status = 200, isShown = false, ...content }: PageContent,
): FastifyReply {
  const document = (
    <CurrentRenderContext.Provider value={{ ...context, isShown }}>
      <PageLayout title={title} {...content} />
    </CurrentRenderContext.Provider>
  );
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>${renderToString(document)}`);
}

export const loginProblems = {
  wrong: 'Incorrect password.',
  'too many': 'Too many attempts. Wait half a minute.',
  link: 'This link has been used, or is older than ten minutes.',
} as const;

/** Without a password, only a link logs in. */
export function sendLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    status = 200,
    problem,
    hasPassword,
  }: {
    readonly status?: number;
    readonly problem?: keyof typeof loginProblems;
    readonly hasPassword: boolean;
  },
): FastifyReply {
  const fields = { next: addressAfterLogin(request).slice(consolePath.length) };
  const body = (
    <Card>
      {problem !== undefined && (
        <Alert severity="bad">
          <span id="problem">{loginProblems[problem]}</span>
        </Alert>
      )}
      {hasPassword ? (
        <Form to="/login" isPrimary label="Log in" fields={fields}>
          <p>
            <label class="form-label" for="password">
              Operator password
            </label>
            <input
              class="form-control"
              id="password"
              type="password"
              name="password"
              autocomplete="current-password"
              required
              maxLength={256}
              aria-describedby={problem && 'problem'}
              aria-invalid={problem && 'true'}
            />
          </p>
        </Form>
      ) : (
        <p class="mb-0">
          Open the link that the service printed when it started. It logs in once, within ten
          minutes; a restart prints a new one. For a password, set OPS_PASSWORD.
        </p>
      )}
    </Card>
  );
  return sendPage(request.renderContext, reply, 'Log in', { status, body });
}

const notices = {
  missing: 'There is no such page, or no such record. It may have been removed.',
  invalid: 'The address or the form is invalid.',
  refused: 'The request was refused. Reload the page and try again.',
  failed: 'The page could not be created. The log of the service says why.',
  unavailable: 'The database does not respond. Reload the page in a moment.',
} as const;

export function sendNotice(
  { renderContext: context }: FastifyRequest,
  reply: FastifyReply,
  status: number,
  kind: keyof typeof notices,
  detail = '',
): FastifyReply {
  const body = (
    <Card>
      <p class="mb-0">
        {notices[kind]} {detail}
      </p>
    </Card>
  );
  return sendPage(context, reply, `Error ${status}`, { status, body });
}

export function renderContextOf(
  request: FastifyRequest,
  now: Date,
  session: Session | null,
): RenderContext {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  // The last segment of a form's address is its action.
  const path = pathname
    .replace(/\/(?:show|replay|enable|disable|test|send)$/, '')
    .slice(consolePath.length);
  return {
    path: path || '/',
    query: Object.fromEntries(searchParams),
    params: request.params as StringValues,
    now,
    session: session?.name ?? null,
    formToken: session?.formToken ?? '',
    isShown: false,
  };
}

/** After the login, the reader returns to the requested page. */
export function redirectToLogin(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const next = method === 'GET' ? url.slice(consolePath.length) : '';
  const query = next === '' || next === '/' ? '' : `?${new URLSearchParams({ next })}`;
  return reply.redirect(`${consolePath}/login${query}`, 303);
}

/** Returns only addresses of the console, so that a link cannot lead to another website. */
export function addressAfterLogin(request: FastifyRequest): string {
  const next = formOf(request)['next'] ?? request.renderContext.query['next'] ?? '';
  return /^\/(?![/\\])[\w\-./?=&%+~:,]*$/.test(next) ? consolePath + next : consolePath;
}

export function formOf({ body }: FastifyRequest): StringValues {
  return (body ?? {}) as StringValues;
}
