import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/configuration/clock.js';
import { type Language, languages, defaultLanguage } from '../../core/localization/language.js';
import type { Sessions } from './access/sessions.js';
import { LoginPage, type MenuEntry, renderPage } from './layout.js';
import {
  type ConsolePage,
  type PageContent,
  type PageRequest,
  type Reader,
  useReader,
} from './pages/page.js';
import { consolePath } from './pages/shared/parts.js';
import { formatsOf } from './texts/formats.js';
import { type TextKey, type TextValues, translator } from './texts/text.js';

const languageCookie = 'console-language';
const yearSeconds = 365 * 86_400;

/** The documents of the console, in the language of the reader. */
export class PageResponses {
  private readonly menu: readonly MenuEntry[];

  constructor(
    private readonly sessions: Sessions,
    pages: readonly ConsolePage[],
    private readonly clock: Clock,
  ) {
    this.menu = pages.filter(({ isInMenu }) => isInMenu);
  }

  /** @throws Error without a session */
  pageRequest(request: FastifyRequest, reply: FastifyReply): PageRequest {
    const { consoleSession: session, params, body, ip: address } = request;
    if (session === null) throw new Error('A page was asked for without a session.');
    const fields = { params: formFieldsOf(params), form: formFieldsOf(body) };
    return { ...this.readerOf(request, reply), ...fields, session, address, now: this.clock.now() };
  }

  /** @param title the heading, unless the content has one */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    title: TextKey,
    { status = 200, heading, body, refreshSeconds }: PageContent,
  ): FastifyReply {
    const reader = this.readerOf(request, reply);
    const html = renderPage(reader, {
      heading: heading ?? reader.text(title),
      body,
      otherLanguageUrl: urlInOtherLanguage(request, reader),
      menu: request.consoleSession === null ? null : this.menu,
      refreshSeconds,
    });
    return reply
      .status(status)
      .header('content-language', reader.language)
      .type('text/html; charset=utf-8')
      .send(html);
  }

  sendLogin(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    problem?: TextKey,
  ): FastifyReply {
    const next = nextOf(request).slice(consolePath.length);
    const body = <LoginPage next={next} problem={problem} />;
    return this.send(request, reply, 'login.title', { status, body });
  }

  /** A page that explains why there is no other one. */
  sendNotice(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    kind: 'missing' | 'invalid' | 'refused' | 'failed' | 'unavailable',
    values?: TextValues,
  ): FastifyReply {
    const body = <Text name={`${kind}.text`} values={values} />;
    return this.send(request, reply, `${kind}.title`, { status, body });
  }

  private readerOf(request: FastifyRequest, reply: FastifyReply): Reader {
    const { consoleSession: session, url, query } = request;
    const language = languageOf(request, reply);
    return {
      path: url.replace(/\?.*$/s, '').slice(consolePath.length) || '/',
      query: formFieldsOf(query),
      language,
      text: translator(language),
      formats: formatsOf(language),
      formToken: session === null ? '' : this.sessions.formToken(session),
    };
  }
}

function Text({
  name,
  values,
}: {
  readonly name: TextKey;
  readonly values?: TextValues | undefined;
}) {
  return <p>{useReader().text(name, values)}</p>;
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
  const next = formFieldsOf(body)['next'] ?? formFieldsOf(query)['next'] ?? '';
  return /^\/(?![/\\])[\w\-./?=&%+~:,]*$/.test(next) ? consolePath + next : consolePath;
}

/** The texts of a form, a query or a path; the last one of a repeated name. */
export function formFieldsOf(values: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>).map(([name, value]) => {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    return [name, typeof last === 'string' ? last : ''] as const;
  });
  return Object.fromEntries(entries);
}

/** From `?language=`, which a cookie remembers; otherwise the language of the browser. */
function languageOf({ query, cookies, headers }: FastifyRequest, reply: FastifyReply): Language {
  const [chosen, remembered] = [formFieldsOf(query)['language'], cookies[languageCookie]].map(
    (name) => languages.find((language) => language === name),
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

/** The same page; after a form the page that the form is on. */
function urlInOtherLanguage({ method }: FastifyRequest, { path, query, language }: Reader): string {
  const other = languages.find((candidate) => candidate !== language) ?? defaultLanguage;
  const page = method === 'GET' && path !== '/' ? path : '';
  return `${consolePath}${page}?${new URLSearchParams({ ...query, language: other })}`;
}
