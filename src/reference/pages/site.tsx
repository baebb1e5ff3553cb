import type { OpenAPIObject } from '@nestjs/swagger';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ErrorResponses } from '../../core/errors/error-responses.js';
import type { Language } from '../../core/localization/language.js';
import { allErrors } from '../errors.js';
import { type Page, readDocuments, readPrograms } from './document-pages.js';
import { errorPages } from './error-pages.js';
import { PageLayout, type PageFrame } from './layout.js';
import { llmsText } from './llms-text.js';
import { renderMarkdown, titleOf } from './markdown.js';
import { operationLinks } from './operations.js';
import { createSearch } from './search.js';
import { SearchResults } from './search-results.js';
import { SignCallback } from './sign-callback.js';
import { pageTexts } from './texts.js';

export interface Document {
  readonly type: 'text/html' | 'text/markdown' | 'text/plain';
  readonly text: string;
}

/** Returns the document at a path below `/docs/`, or undefined. */
export type Site = (path: string, query: string) => Document | undefined;

type View = (query: string) => Document;

/** Creates all pages; each is rendered when it is asked for the first time. */
export function createSite(reference: OpenAPIObject, responses: ErrorResponses): Site {
  const operations = operationLinks(reference);
  const pages = [...readDocuments(), ...errorPages(allErrors, operations, responses)];
  const paths = new Set(pages.map(({ path }) => path));
  const codes = new Set(allErrors.map(({ code }) => code));
  const search = once(() => createSearch(pages, operations));
  const views = new Map<string, View>();
  const add = (path: string, type: Document['type'], text: () => string) => {
    const rendered = once(text);
    views.set(path, () => ({ type, text: rendered() }));
  };
  for (const page of pages) {
    add(page.path, 'text/html', () => pageHtml(page, paths, codes, (path) => views.has(path)));
    views.set(`${page.path}.md`, () => ({ type: 'text/markdown', text: page.markdown }));
  }
  for (const [path, text] of readPrograms()) views.set(path, () => ({ type: 'text/plain', text }));
  add('llms.txt', 'text/markdown', () => llmsText(pages));
  add('sign-callback', 'text/html', signCallbackHtml);
  for (const language of ['en-us', 'ar-eg'] as const) {
    views.set(language === 'en-us' ? 'search' : 'search.ar', (query) => ({
      type: 'text/html',
      text: searchHtml(query, language, search()(query, language)),
    }));
  }
  return (path, query) => views.get(path)?.(query);
}

/** Returns a page for browsers that asked for an unknown path. */
export function missingPage(path: string): string {
  const title = 'There is no such page';
  return html(
    { title, language: 'en-us', root: rootOf(path) },
    <>
      <h1>{title}</h1>
      <p>
        <a href={`${rootOf(path)}errors`}>All error codes</a> and{' '}
        <a href={`${rootOf(path)}guides`}>all guides</a>
      </p>
    </>,
  );
}

function pageHtml(
  page: Page,
  paths: ReadonlySet<string>,
  codes: ReadonlySet<string>,
  isPage: (path: string) => boolean,
): string {
  const { path, language, markdown } = page;
  const other = language === 'ar-eg' ? path.replace(/\.ar$/, '') : `${path}.ar`;
  const frame = {
    title: titleOf(markdown),
    language,
    root: rootOf(path),
    otherLanguage: paths.has(other) ? other : undefined,
    source: `${path}.md`,
  };
  const linked = path.startsWith('errors') ? none : codes;
  const content = renderMarkdown(markdown, frame.root, linked, isPage);
  return html(frame, <article dangerouslySetInnerHTML={{ __html: content }} />);
}

const none: ReadonlySet<string> = new Set();

function searchHtml(
  query: string,
  language: Language,
  results: Parameters<typeof SearchResults>[0]['results'],
): string {
  const otherLanguage = language === 'ar-eg' ? 'search' : 'search.ar';
  return html(
    {
      title: pageTexts[language].search,
      language,
      root: './',
      otherLanguage: `${otherLanguage}?${new URLSearchParams({ q: query })}`,
      query,
    },
    <SearchResults query={query} language={language} results={results} />,
  );
}

function signCallbackHtml(): string {
  const frame = { title: 'Sign a callback', language: 'en-us', root: './' } as const;
  return html({ ...frame, script: 'sign-callback.js' }, <SignCallback />);
}

function html(frame: PageFrame, content: ComponentChildren): string {
  return `<!doctype html>${renderToString(<PageLayout {...frame}>{content}</PageLayout>)}`;
}

/** Links are relative, because a proxy may serve the pages under another path. */
function rootOf(path: string): string {
  return '../'.repeat(path.split('/').length - 1) || './';
}

function once<T>(create: () => T): () => T {
  let value: { readonly created: T } | undefined;
  return () => (value ??= { created: create() }).created;
}
