import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Language, languages, defaultLanguage } from '../../core/localization/language.js';
import type { Sessions } from './access/sessions.js';
import { consolePath, type MenuEntry, renderPage } from './layout/layout.js';
import { LoginPage } from './layout/login-page.js';
import type { ConsolePage, PageContent, PageRequest } from './pages/page.js';
import { formatsOf } from './texts/formats.js';
import { type TextKey, type Translate, translator } from './texts/text.js';

const languageCookie = 'console-language';
const yearSeconds = 365 * 86_400;

/** Makes the documents that the console responds with, in the language of the reader. */
export class PageResponses {
  private readonly menu: readonly MenuEntry[];

  constructor(
    private readonly sessions: Sessions,
    pages: readonly ConsolePage[],
  ) {
    this.menu = pages.filter(({ isInMenu }) => isInMenu);
  }

  /** What a page is made for. @throws Error where nobody is logged in */
  pageRequest(request: FastifyRequest, reply: FastifyReply): PageRequest {
    const { consoleSession: session } = request;
    if (session === null) throw new Error('A page was asked for without a session.');
    const language = this.languageOf(request, reply);
    return {
      path: pathOf(request),
      params: fieldsOf(request.params),
      query: fieldsOf(request.query),
      form: fieldsOf(request.body),
      session,
      address: request.ip,
      requestId: request.id,
      language,
      text: translator(language),
      formats: formatsOf(language),
      formToken: this.sessions.formToken(session),
    };
  }

  /** A page with what it shows. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    page: ConsolePage,
    content: PageContent,
  ): FastifyReply {
    const language = this.languageOf(request, reply);
    const heading = content.heading ?? translator(language)(page.title);
    return this.sendDocument(request, reply, { ...content, heading });
  }

  /** The login page. */
  sendLogin(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    problem?: TextKey,
  ): FastifyReply {
    const text = translator(this.languageOf(request, reply));
    const next = this.nextOf(request).slice(consolePath.length);
    const form = <LoginPage text={text} next={next} {...(problem && { problem })} />;
    return this.sendDocument(request, reply, { status, heading: text('login.title'), body: form });
  }

  /** Leads to the login, and from there back. */
  askForLogin(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const wanted = request.method === 'GET' ? request.url.slice(consolePath.length) : '';
    const query =
      wanted === '' || wanted === '/' ? '' : `?${new URLSearchParams({ next: wanted })}`;
    return reply.redirect(`${consolePath}/login${query}`, 303);
  }

  /** Where to go after the login: nowhere but to a page of the console. */
  nextOf({ query, body }: FastifyRequest): string {
    const next = fieldsOf(body)['next'] ?? fieldsOf(query)['next'] ?? '';
    return /^\/(?![/\\])[\w\-./?=&%+~:,]*$/.test(next) ? consolePath + next : consolePath;
  }

  /** A page that says only why there is no other one. */
  sendNotice(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    kind: 'missing' | 'invalid' | 'refused' | 'failed' | 'unavailable',
    values?: Parameters<Translate>[1],
  ): FastifyReply {
    const text = translator(this.languageOf(request, reply));
    const body = <p>{text(`${kind}.text`, values)}</p>;
    return this.sendDocument(request, reply, { status, heading: text(`${kind}.title`), body });
  }

  private sendDocument(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, heading, body, refreshSeconds }: PageContent & { readonly heading: string },
  ): FastifyReply {
    const { consoleSession: session } = request;
    const language = this.languageOf(request, reply);
    const html = renderPage({
      language,
      text: translator(language),
      heading,
      body,
      otherLanguageUrl: urlInOtherLanguage(request, language),
      reader: session && {
        menu: this.menu,
        path: pathOf(request),
        formToken: this.sessions.formToken(session),
      },
      refreshSeconds,
    });
    return reply
      .status(status)
      .header('content-language', language)
      .type('text/html; charset=utf-8')
      .send(html);
  }

  /** As `?language=` says, which is remembered; else as the browser does. */
  private languageOf(request: FastifyRequest, reply: FastifyReply): Language {
    const asked = languageNamed(fieldsOf(request.query)['language']);
    if (asked !== undefined) {
      reply.setCookie(languageCookie, asked, {
        path: consolePath,
        maxAge: yearSeconds,
        httpOnly: true,
        sameSite: 'strict',
      });
      return asked;
    }
    const preferred = request.headers['accept-language'] ?? '';
    return (
      languageNamed(request.cookies[languageCookie]) ??
      (preferred.toLowerCase().startsWith('ar') ? 'ar-eg' : defaultLanguage)
    );
  }
}

/** The fields of a form, a query or a path: texts, the last one where a name is repeated. */
export function fieldsOf(values: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>).map(([name, value]) => {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    return [name, typeof last === 'string' ? last : ''] as const;
  });
  return Object.fromEntries(entries);
}

function languageNamed(name: string | undefined): Language | undefined {
  return languages.find((language) => language === name);
}

function pathOf({ url }: FastifyRequest): string {
  const path = url.replace(/\?.*$/s, '').slice(consolePath.length);
  return path === '' ? '/' : path;
}

/** The same page; after a form the one that the form is on. */
function urlInOtherLanguage(request: FastifyRequest, language: Language): string {
  const other = languages.find((candidate) => candidate !== language) ?? defaultLanguage;
  const query = { ...fieldsOf(request.query), language: other };
  const path = request.method === 'GET' ? pathOf(request) : '/';
  return `${consolePath}${path === '/' ? '' : path}?${new URLSearchParams(query)}`;
}
