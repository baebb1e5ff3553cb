import { languages } from '../../core/localization/language.js';
import { type PageContent, useRenderContext } from './pages/page.js';
import { pages } from './pages/pages.js';
import { PersonalData } from './pages/shared/operator-actions.js';
import { consolePath, Form, Link } from './pages/shared/components.js';
import type { TextKey } from './texts/text.js';

const menu = pages.filter(({ isInMenu }) => isInMenu);

export function PageLayout({
  title,
  body,
  notice,
  personal,
  ...content
}: PageContent & { title: TextKey }) {
  const { language, text, session } = useRenderContext();
  const heading = [text(title), content.name].join(' ').trim();
  const direction = language === 'ar-eg' ? 'rtl' : 'ltr';
  return (
    <html lang={language.slice(0, 2)} dir={direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${heading} – ${text('console.title')}`}</title>
        <link rel="stylesheet" href={`${consolePath}/console.css`} />
        {session !== null && <script src={`${consolePath}/console.js`} defer />}
      </head>
      <body data-refresh-seconds={content.refreshSeconds}>
        <a class="skip" href="#content">
          {text('console.skip')}
        </a>
        <header>
          <strong>{text('console.title')}</strong>
          {session === null ? <OtherLanguage /> : <Menu />}
        </header>
        <main id="content" tabIndex={-1}>
          <h1>{heading}</h1>
          {notice}
          {personal && <PersonalData />}
          {body}
        </main>
      </body>
    </html>
  );
}

function OtherLanguage() {
  const { language, text, path, query } = useRenderContext();
  const other = languages.find((candidate) => candidate !== language) ?? language;
  const to = `${path === '/' ? '' : path}?${new URLSearchParams({ ...query, language: other })}`;
  return (
    <a href={consolePath + to} lang={other.slice(0, 2)}>
      {text('console.otherLanguage')}
    </a>
  );
}

/** On phones, the menu opens without a script. */
function Menu() {
  const { text, path: current } = useRenderContext();
  return (
    <>
      <button type="button" class="plain folds" popovertarget="menu">
        {text('console.menu')}
      </button>
      <nav id="menu" popover="auto" aria-label={text('console.menu')}>
        <ul>
          {menu.map(({ path, title }) => (
            <li key={path}>
              <Link to={path} current={`${current}/`.startsWith(`${path}/`) && 'page'}>
                {text(title)}
              </Link>
            </li>
          ))}
        </ul>
        <OtherLanguage />
        <Form to="/logout" label={text('console.logout')} />
      </nav>
    </>
  );
}
