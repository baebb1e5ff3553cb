import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Language } from '../../../core/localization/language.js';
import type { TextKey, Translate } from '../texts/text.js';
import { FormToken } from './form-token.js';

/** Where the console is. */
export const consolePath = '/console';

/** A link of the menu. */
export interface MenuEntry {
  /** Below `/console`. */
  readonly path: string;
  readonly title: TextKey;
}

/** What the frame of a page is made of. */
export interface Frame {
  readonly language: Language;
  readonly text: Translate;
  readonly heading: string;
  readonly body: ComponentChildren;
  /** The address of this page in the other language. */
  readonly otherLanguageUrl: string;
  /** Null where nobody is logged in. */
  readonly reader: {
    readonly menu: readonly MenuEntry[];
    /** The path of the page, whose entry is marked. */
    readonly path: string;
    readonly formToken: string;
  } | null;
  readonly refreshSeconds: number | undefined;
}

/** A whole document; what it is made of is escaped. */
export function renderPage(frame: Frame): string {
  return `<!doctype html>${renderToString(<Document {...frame} />)}`;
}

function Document(frame: Frame) {
  const { language, text, heading, body, reader, refreshSeconds } = frame;
  const [code] = language.split('-');
  return (
    <html lang={code} dir={language === 'ar-eg' ? 'rtl' : 'ltr'}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${heading} – ${text('console.title')}`}</title>
        {['console.css', 'data.css'].map((name) => (
          <link key={name} rel="stylesheet" href={`${consolePath}/${name}`} />
        ))}
        {reader !== null && <script src={`${consolePath}/console.js`} defer />}
      </head>
      <body data-refresh-seconds={refreshSeconds}>
        <a class="skip" href="#content">
          {text('console.skip')}
        </a>
        <Header {...frame} />
        <main id="content" tabIndex={-1}>
          <h1>{heading}</h1>
          {body}
        </main>
      </body>
    </html>
  );
}

function Header({ language, text, otherLanguageUrl, reader }: Frame) {
  const otherLanguage = (
    <a href={otherLanguageUrl} lang={language === 'ar-eg' ? 'en' : 'ar'}>
      {text('console.otherLanguage')}
    </a>
  );
  return (
    <header>
      <p class="name">{text('console.title')}</p>
      {reader === null ? otherLanguage : <Menu {...{ text, reader, otherLanguage }} />}
    </header>
  );
}

/** On a phone it opens by its button, without a script. */
function Menu({
  text,
  reader,
  otherLanguage,
}: {
  readonly text: Translate;
  readonly reader: NonNullable<Frame['reader']>;
  readonly otherLanguage: ComponentChildren;
}) {
  return (
    <>
      <button type="button" class="plain folds" popovertarget="menu">
        {text('console.menu')}
      </button>
      <nav id="menu" popover="auto" aria-label={text('console.menu')}>
        <ul>
          {reader.menu.map(({ path, title }) => (
            <li key={path}>
              <a
                href={consolePath + path}
                aria-current={isCurrent(path, reader.path) ? 'page' : undefined}
              >
                {text(title)}
              </a>
            </li>
          ))}
        </ul>
        {otherLanguage}
        <form method="post" action={`${consolePath}/logout`}>
          <FormToken request={reader} />
          <button type="submit" class="plain">
            {text('console.logout')}
          </button>
        </form>
      </nav>
    </>
  );
}

/** Also for the pages below an entry. */
function isCurrent(entry: string, path: string): boolean {
  return path === entry || (entry !== '/' && path.startsWith(`${entry}/`));
}
