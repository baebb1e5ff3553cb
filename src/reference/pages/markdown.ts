import GithubSlugger from 'github-slugger';
import { Marked, type RendererObject, type Tokens } from 'marked';

/** A heading with the text below it, up to the next heading. */
export interface Section {
  readonly title: string;
  /** The anchor of the heading. */
  readonly anchor: string;
  readonly text: string;
}

const explicitAnchor = /<a id="([^"]+)"><\/a>/;
/** The parts of Markdown and HTML that nobody searches for. */
const markup = /<[^>]*>|^\s*(?:-|\d+\.) |\]\([^)]*\)|[*`#|[\]]|-{3,}/gm;
const linkTarget = /\]\((?!https?:|#)([^)\s]+)\)/g;

/**
 * Renders a trusted document: HTML in it stays as it is.
 *
 * @param root the relative path from the page to `/docs/`
 * @param errorCodes become links where they stand as code
 * @param isPage such a path becomes a link where it stands as code with `/docs/` in front
 */
export function renderMarkdown(
  markdown: string,
  root: string,
  errorCodes: ReadonlySet<string>,
  isPage: (path: string) => boolean,
): string {
  const marked = new Marked({ renderer: rendererFor(root, errorCodes, isPage) });
  const html = marked.parse(markdown, { async: false });
  // The keyboard must reach content that scrolls.
  return html
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}

function rendererFor(
  root: string,
  errorCodes: ReadonlySet<string>,
  isPage: (path: string) => boolean,
): RendererObject {
  // GitHub, for which the documents are written, makes the same anchors.
  const slugger = new GithubSlugger();
  return {
    heading({ tokens, depth, text }) {
      const anchor = slugger.slug(withoutMarkup(text));
      return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return `<a href="${href.replace(/\.md(?=$|#)/, '')}">${text}</a>`;
    },
    codespan({ text }) {
      const named = /^\/docs\/(.+)$/.exec(text)?.[1];
      const path = errorCodes.has(text) ? `errors/${text}` : named;
      if (path === undefined || !isPage(path)) return false;
      return `<a href="${root}${path}"><code>${text}</code></a>`;
    },
  };
}

export function titleOf(markdown: string): string {
  const [, title = ''] = /^# (.+)$/m.exec(markdown) ?? [];
  return withoutMarkup(title);
}

/** Returns the text of the first paragraph. */
export function firstParagraph(markdown: string): string {
  const paragraph = new Marked().lexer(markdown).find(({ type }) => type === 'paragraph');
  return withoutMarkup(paragraph?.raw ?? '').trim();
}

export function sectionsOf(markdown: string): Section[] {
  const slugger = new GithubSlugger();
  const sections: { title: string; anchor: string; text: string }[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      const { text } = token as Tokens.Heading;
      const title = withoutMarkup(text);
      const slug = slugger.slug(title);
      sections.push({ title, anchor: explicitAnchor.exec(text)?.[1] ?? slug, text: '' });
    } else {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${withoutMarkup(token.raw)} `;
    }
  }
  return sections;
}

/** Replaces the targets of relative links; a link without a new target becomes plain text. */
export function withLinks(
  markdown: string,
  replacement: (target: string) => string | undefined,
): string {
  const removed: string[] = [];
  const replaced = markdown.replaceAll(linkTarget, (link, target: string) => {
    const found = replacement(target);
    if (found === undefined) removed.push(link);
    return found === undefined ? link : `](${found})`;
  });
  return removed.reduce((text, link) => {
    const end = text.indexOf(link);
    const start = text.lastIndexOf('[', end);
    return text.slice(0, start) + text.slice(start + 1, end) + text.slice(end + link.length);
  }, replaced);
}

function withoutMarkup(text: string): string {
  return text.replaceAll(markup, ' ').replaceAll(/\s+/g, ' ').trim();
}
