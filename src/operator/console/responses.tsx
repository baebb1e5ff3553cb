import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Language, languages, defaultLanguage } from '../../core/localization/language.js';
import { LoginPage, renderPage } from './layout.js';
import type { PageContent, Reader, Texts } from './pages/page.js';
import { consolePath } from './pages/shared/parts.js';
import { formatsOf } from './texts/formats.js';
import { type TextKey, type TextValues, translator } from './texts/text.js';

const languageCookie = 'console-language';
const yearSeconds = 365 * 86_400;

/** @param title begins the heading */
export function sendPage(
  reader: Reader,
  reply: FastifyReply,
  title: TextKey,
  content: PageContent,
): FastifyReply {
  return reply
    .status(content.status ?? 200)
    .header('content-language', reader.language)
    .type('text/html; charset=utf-8')
    .send(renderPage(reader, title, content));
}

export function sendLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  problem?: TextKey,
): FastifyReply {
  const next = nextOf(request).slice(consolePath.length);
  const body = <LoginPage next={next} problem={problem} />;
  return sendPage(request.reader, reply, 'login.title', { status, body });
}

/** A page that explains why there is no other one. */
export function sendNotice(
  { reader }: FastifyRequest,
  reply: FastifyReply,
  status: number,
  kind: 'missing' | 'invalid' | 'refused' | 'failed' | 'unavailable',
  values?: TextValues,
): FastifyReply {
  const body = <p>{reader.text(`error.${kind}`, values)}</p>;
  return sendPage(reader, reply, 'console.error', { status, name: String(status), body });
}

export function readerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, formToken }: Pick<Reader, 'session' | 'formToken'>,
): Reader {
  const { url, query, params } = request;
  const language = languageOf(request, reply);
  // The last part of a form's address is its action.
  const path = url
    .replace(/(?:\/(?:show|replay|enable))?(?:\?.*)?$/s, '')
    .slice(consolePath.length);
  return {
    path: path || '/',
    query: textsOf(query),
    params: textsOf(params),
    language,
    text: translator(language),
    formats: formatsOf(language),
    session,
    formToken,
    isShown: false,
  };
}

/** Redirects to the login, which leads back to a page that was opened. */
export function redirectToLogin(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const next = method === 'GET' ? url.slice(consolePath.length) : '';
  const query = next === '' || next === '/' ? '' : `?${new URLSearchParams({ next })}`;
  return reply.redirect(`${consolePath}/login${query}`, 303);
}

/** The address after the login: always a page of the console. */
export function nextOf({ query, body }: FastifyRequest): string {
  const next = textsOf(body)['next'] ?? textsOf(query)['next'] ?? '';
  return /^\/(?![/\\])[\w\-./?=&%+~:,]*$/.test(next) ? consolePath + next : consolePath;
}

/** The texts of a form, a query or a path; the last one of a repeated name. */
export function textsOf(values: unknown): Texts {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>).map(([name, value]) => {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    return [name, typeof last === 'string' ? last : ''] as const;
  });
  return Object.fromEntries(entries);
}

/** From `?language=`, which a cookie remembers; otherwise the language of the browser. */
function languageOf({ query, cookies, headers }: FastifyRequest, reply: FastifyReply): Language {
  const [chosen, remembered] = [textsOf(query)['language'], cookies[languageCookie]].map((name) =>
    languages.find((language) => language === name),
  );
  if (chosen !== undefined) {
    reply.setCookie(languageCookie, chosen, {
      path: consolePath,
      maxAge: yearSeconds,
      httpOnly: true,
      sameSite: 'strict',
    });
  }
  const isArabic = (headers['accept-language'] ?? '').toLowerCase().startsWith('ar');
  return chosen ?? remembered ?? (isArabic ? 'ar-eg' : defaultLanguage);
}
