import type { ComponentChildren } from 'preact';
import type { Language } from '../../core/localization/language.js';
import { type PageTexts, pageTexts } from './texts.js';

export interface PageFrame {
  readonly title: string;
  readonly language: Language;
  /** The relative path from the page to `/docs/`. */
  readonly root: string;
  /** The same page in the other language, relative to `/docs/`. */
  readonly otherLanguage?: string | undefined;
  /** The Markdown of the page, relative to `/docs/`. */
  readonly source?: string | undefined;
  readonly script?: string | undefined;
  readonly query?: string | undefined;
}

/** Lays out a page of the documentation, which works without scripts. */
export function PageLayout(props: PageFrame & { children: ComponentChildren }) {
  const { title, language, root, source, script, children } = props;
  const texts = pageTexts[language];
  const isArabic = language === 'ar-eg';
  return (
    <html lang={language.slice(0, 2)} dir={isArabic ? 'rtl' : 'ltr'}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} – ${texts.title}`}</title>
        <link rel="icon" href={`${root}favicon.svg`} />
        {source !== undefined && <link rel="alternate" type="text/markdown" href={root + source} />}
        <link rel="stylesheet" href={`${root}theme.css`} />
        <link rel="stylesheet" href={`${root}pages.css`} />
        <script src={`${root}pages.js`} />
        {script !== undefined && <script src={root + script} type="module" />}
      </head>
      <body>
        <a class="skip" href="#content">
          {texts.skip}
        </a>
        <PageHeader {...props} texts={texts} />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        {source !== undefined && (
          <footer>
            <a href={root + source}>{texts.asMarkdown}</a>
          </footer>
        )}
      </body>
    </html>
  );
}

function PageHeader({
  language,
  root,
  otherLanguage,
  query,
  texts,
}: PageFrame & { texts: PageTexts }) {
  const suffix = language === 'ar-eg' ? '.ar' : '';
  const other = language === 'ar-eg' ? 'en' : 'ar';
  return (
    <header class="header">
      <a class="brand" href={`${root}guides${suffix}`}>
        {texts.title}
      </a>
      <nav aria-label={texts.menu}>
        <a href={`${root}guides${suffix}`}>{texts.guides}</a>
        <a href={root}>{texts.reference}</a>
        <a href={`${root}errors`}>{texts.errors}</a>
        <a href={`${root}rules`}>{texts.rules}</a>
      </nav>
      <form action={`${root}search${suffix}`} role="search">
        <input
          type="search"
          name="q"
          value={query}
          maxLength={100}
          aria-label={texts.searchLabel}
          placeholder={texts.search}
        />
      </form>
      <a href={root + (otherLanguage ?? `guides.${other}`.replace('.en', ''))} lang={other}>
        {texts.otherLanguage}
      </a>
      <button type="button" id="theme" aria-label={texts.theme} title={texts.theme} hidden>
        ◐
      </button>
    </header>
  );
}
