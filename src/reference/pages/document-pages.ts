import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Language, languages } from '../../core/localization/language.js';
import { firstParagraph, titleOf, withLinks } from './markdown.js';
import { pageTexts } from './texts.js';

export interface Page {
  /** Below `/docs/`, without an extension. */
  readonly path: string;
  readonly language: Language;
  /** Relative links in it lead to the Markdown of other pages. */
  readonly markdown: string;
}

/** The build copies the documents. */
const root = join(import.meta.dirname, '../documents');

const partnerGuides = ['website', 'cheque-collector', 'crm', 'webhooks'];
/** The one document whose path below `/docs/` differs from its path in the repository. */
const client = { file: 'typescript/README.md', link: '../../clients/typescript/README.md' };
const suffixes = { 'en-us': '', 'ar-eg': '.ar' } as const satisfies Record<Language, string>;

/** Returns the programs of the guides, which readers download. */
export function readPrograms(): ReadonlyMap<string, string> {
  const names = globSync('guides/programs/*', { cwd: root });
  return new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/** Returns the guides for partners, the rules and the description of the client. */
export function readDocuments(): Page[] {
  const guides = languages.flatMap((language) =>
    partnerGuides.map((name) => documentPage(`guides/${name}${suffixes[language]}`, language)),
  );
  return [
    ...languages.map((language) => guideIndex(guides, language)),
    ...guides,
    documentPage('rules', 'en-us'),
    documentPage('typescript', 'en-us', client.file),
  ];
}

function documentPage(path: string, language: Language, file = `${path}.md`): Page {
  const text = readFileSync(join(root, file), 'utf8')
    // Readers of a page have downloaded the program that the command runs.
    .replaceAll('docs/guides/programs/', '');
  return { path, language, markdown: withLinks(text, (target) => publishedTarget(path, target)) };
}

/** Returns undefined for documents that are not for partners. */
function publishedTarget(from: string, target: string): string | undefined {
  if (target === client.link) return '../typescript.md';
  const [file = ''] = target.split('#');
  const path = posix.join(posix.dirname(from), file);
  const isPublished =
    path === 'rules.md' ||
    path.startsWith('guides/programs/') ||
    partnerGuides.some((name) => [`guides/${name}.md`, `guides/${name}.ar.md`].includes(path));
  return isPublished ? target : undefined;
}

function guideIndex(guides: readonly Page[], language: Language): Page {
  const texts = pageTexts[language];
  const entries = guides
    .filter((guide) => guide.language === language)
    .map(({ path, markdown }) => {
      const [sentence = ''] = firstParagraph(markdown).split(/(?<=[.:،]) /);
      return `- [${titleOf(markdown)}](${path}.md): ${sentence.replace(/[:،]$/, '.')}`;
    });
  const markdown = `# ${texts.guides}

${texts.guidesText}

${entries.join('\n')}

## ${texts.furtherText}

- [${texts.reference}](./): ${texts.referenceText}
- [${texts.errors}](errors.md): ${texts.errorsText}
- [${texts.rules}](rules.md): ${texts.rulesText}
- [TypeScript](typescript.md): ${texts.clientText}
- [openapi.json](openapi.json): ${texts.openapiText} [openapi-client.json](openapi-client.json)
- [collection.json](collection.json): ${texts.collectionText}
- [${texts.signCallback}](sign-callback): ${texts.signText}
`;
  return { path: `guides${suffixes[language]}`, language, markdown };
}
