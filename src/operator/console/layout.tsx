import { consolePath, Form, HiddenFields, Link } from './components/components.js';
import { PersonalData } from './components/operator-actions.js';
import { type PageContent, useRenderContext } from './page.js';
import { pages } from './pages/pages.js';

const menu = pages.filter(({ isInMenu }) => isInMenu);

export function PageLayout({
  title,
  heading = title,
  summary,
  body,
  notice,
  personal,
  refreshSeconds,
}: PageContent & { readonly title: string }) {
  const { session } = useRenderContext();
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${heading} – Integration API`}</title>
        <script src={`${consolePath}/theme.js`} />
        <link rel="stylesheet" href={`${consolePath}/tabler.css`} />
        <link rel="stylesheet" href={`${consolePath}/console.css`} />
        {session !== null && <script src={`${consolePath}/chart.js`} defer />}
        {session !== null && <script src={`${consolePath}/console.js`} defer />}
      </head>
      <body data-refresh-seconds={refreshSeconds}>
        <a class="visually-hidden-focusable" href="#content">
          Skip to the content
        </a>
        <div class="page">
          <header class="navbar">
            <div class="container-xl flex-wrap gap-2 justify-content-start">
              <Link to="" class="navbar-brand">
                Integration API
              </Link>
              {session !== null && <Menu />}
            </div>
          </header>
          <main class="page-wrapper container-xl" id="content" tabIndex={-1}>
            <div class="page-header">
              <h1 class="page-title">{heading}</h1>
              {summary !== undefined && <p class="text-secondary mb-0">{summary}</p>}
            </div>
            <div class="page-body">
              {notice}
              {personal && <PersonalData />}
              {body}
            </div>
          </main>
        </div>
      </body>
    </html>
  );
}

function isWithin(path: string, current: string): boolean {
  return path === '/' ? current === '/' : `${current}/`.startsWith(`${path}/`);
}

function Menu() {
  const { path: current, formToken } = useRenderContext();
  return (
    <>
      <nav aria-label="Pages">
        <ul class="nav nav-pills">
          {menu.map(({ path, title }) => (
            <li key={path} class="nav-item">
              <Link
                to={path === '/' ? '' : path}
                class={`nav-link ${isWithin(path, current) ? 'active' : ''}`}
                current={isWithin(path, current) && 'page'}
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {/* A phone number must not be part of an address, so the form posts it. */}
      <form
        method="post"
        action={`${consolePath}/search`}
        role="search"
        class="d-flex gap-2 flex-fill"
      >
        <HiddenFields token={formToken} />
        <input
          class="form-control"
          type="search"
          name="reference"
          required
          maxLength={1_024}
          autocomplete="off"
          placeholder="Any id, name, phone, email or URL"
          aria-label="Search"
        />
        <button type="submit" class="btn">
          Search
        </button>
      </form>
      <Form to="/logout" label="Log out" />
    </>
  );
}
