import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { type Language, languages, defaultLanguage } from '../../core/localization/language.js';
import { PageLayout } from './layout.js';
import {
  type PageContent,
  type RenderContext,
  CurrentRenderContext,
  type StringValues,
} from './pages/page.js';
import { consolePath, Form } from './pages/shared/components.js';
import { formattersFor } from './texts/formatters.js';
import { type TextKey, type TextValues, translator } from './texts/text.js';

const languageCookie = 'console-language';
const yearSeconds = 365 * 86_400;

/** Preact escapes the content. */
export function sendPage(
  context: RenderContext,
  reply: FastifyReply,
  title: TextKey,
  { status = 200, isShown = false, ...content }: PageContent,
): FastifyReply {
  const document = (
    <CurrentRenderContext.Provider value={{ ...context, isShown }}>
      <PageLayout title={title} {...content} />
    </CurrentRenderContext.Provider>
  );
  return reply
    .status(status)
    .header('content-language', context.language)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>${renderToString(document)}`);
}

export function sendLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  problem?: TextKey,
): FastifyReply {
  const { text } = request.renderContext;
  const fields = { next: addressAfterLogin(request).slice(consolePath.length) };
  const body = (
    <Form to="/login" class="card search" isPrimary label={text('login.title')} fields={fields}>
      <p>
        <label for="password">{text('login.password')}</label>
        <input
          id="password"
          type="password"
          name="password"
          autocomplete="current-password"
          required
          maxLength={256}
          aria-describedby={problem && 'problem'}
          aria-invalid={problem && 'true'}
        />
        {problem !== undefined && (
          <span class="bad" role="alert" id="problem">
            {text(problem)}
          </span>
        )}
      </p>
    </Form>
  );
  return sendPage(request.renderContext, reply, 'login.title', { status, body });
}

export function sendNotice(
  { renderContext: context }: FastifyRequest,
  reply: FastifyReply,
  status: number,
  kind: 'missing' | 'invalid' | 'refused' | 'failed' | 'unavailable',
  values?: TextValues,
): FastifyReply {
  const body = <p>{context.text(`error.${kind}`, values)}</p>;
  return sendPage(context, reply, 'console.error', { status, name: String(status), body });
}

export function renderContextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, formToken }: Pick<RenderContext, 'session' | 'formToken'>,
): RenderContext {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const query = Object.fromEntries(searchParams);
  const language = languageOf(request, query);
  if (language === query['language']) {
    const attributes = { path: consolePath, maxAge: yearSeconds, httpOnly: true } as const;
    reply.setCookie(languageCookie, language, { ...attributes, sameSite: 'strict' });
  }
  // The last segment of a form's address is its action.
  const path = pathname.replace(/\/(?:show|replay|enable)$/, '').slice(consolePath.length);
  return {
    path: path || '/',
    query,
    params: request.params as StringValues,
    language,
    text: translator(language),
    formats: formattersFor(language),
    session,
    formToken,
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

/** `?language=` comes first and is stored in a cookie. Without either, the browser's language applies. */
function languageOf({ cookies, headers }: FastifyRequest, query: StringValues): Language {
  const named = [query['language'], cookies[languageCookie]];
  const [known] = named.flatMap((name) => languages.filter((language) => language === name));
  const isArabic = (headers['accept-language'] ?? '').toLowerCase().startsWith('ar');
  return known ?? (isArabic ? 'ar-eg' : defaultLanguage);
}
