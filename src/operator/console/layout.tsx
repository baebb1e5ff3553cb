import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Reader, ReaderContext, useReader } from './pages/page.js';
import { consolePath, Form, Link } from './pages/shared/parts.js';
import type { TextKey } from './texts/text.js';

export interface MenuEntry {
  /** Below `/console`. */
  readonly path: string;
  readonly title: TextKey;
}

export interface PageLayout {
  readonly heading: string;
  readonly body: ComponentChildren;
  /** The address of this page in the other language. */
  readonly otherLanguageUrl: string;
  readonly menu: readonly MenuEntry[] | null;
  readonly refreshSeconds: number | undefined;
}

/** An HTML document; Preact escapes its content. */
export function renderPage(reader: Reader, page: PageLayout): string {
  const document = (
    <ReaderContext.Provider value={reader}>
      <Document {...page} />
    </ReaderContext.Provider>
  );
  return `<!doctype html>${renderToString(document)}`;
}

function Document({ heading, body, otherLanguageUrl, menu, refreshSeconds }: PageLayout) {
  const { language, text } = useReader();
  const [code] = language.split('-');
  const otherLanguage = (
    <a href={otherLanguageUrl} lang={language === 'ar-eg' ? 'en' : 'ar'}>
      {text('console.otherLanguage')}
    </a>
  );
  return (
    <html lang={code} dir={language === 'ar-eg' ? 'rtl' : 'ltr'}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${heading} – ${text('console.title')}`}</title>
        {['console.css', 'data.css'].map((name) => (
          <link key={name} rel="stylesheet" href={`${consolePath}/${name}`} />
        ))}
        {menu !== null && <script src={`${consolePath}/console.js`} defer />}
      </head>
      <body data-refresh-seconds={refreshSeconds}>
        <a class="skip" href="#content">
          {text('console.skip')}
        </a>
        <header>
          <p class="name">{text('console.title')}</p>
          {menu === null ? otherLanguage : <Menu entries={menu}>{otherLanguage}</Menu>}
        </header>
        <main id="content" tabIndex={-1}>
          <h1>{heading}</h1>
          {body}
        </main>
      </body>
    </html>
  );
}

/** On a phone its button opens it, without a script. */
function Menu({
  entries,
  children,
}: {
  readonly entries: readonly MenuEntry[];
  readonly children: ComponentChildren;
}) {
  const { text, path: current } = useReader();
  return (
    <>
      <button type="button" class="plain folds" popovertarget="menu">
        {text('console.menu')}
      </button>
      <nav id="menu" popover="auto" aria-label={text('console.menu')}>
        <ul>
          {entries.map(({ path, title }) => (
            <li key={path}>
              <Link to={path} current={isPartOf(current, path) && 'page'}>
                {text(title)}
              </Link>
            </li>
          ))}
        </ul>
        {children}
        <Form to="/logout" label={text('console.logout')} />
      </nav>
    </>
  );
}

function isPartOf(path: string, entry: string): boolean {
  return path === entry || (entry !== '/' && path.startsWith(`${entry}/`));
}

export function LoginPage({
  next,
  problem,
}: {
  readonly next: string;
  readonly problem: TextKey | undefined;
}) {
  const { text } = useReader();
  return (
    <Form to="/login" class="login" isPrimary label={text('login.submit')} fields={{ next }}>
      {problem !== undefined && (
        <p class="problem" role="alert" id="problem">
          {text(problem)}
        </p>
      )}
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
    </Form>
  );
}
