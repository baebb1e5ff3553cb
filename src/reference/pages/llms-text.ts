import type { Page } from './document-pages.js';
import { titleOf } from './markdown.js';

/** Lists the Markdown of all pages for language models, in the form of llmstxt.org. */
export function llmsText(pages: readonly Page[]): string {
  const list = (belongs: (path: string) => boolean) =>
    pages
      .filter(({ path }) => belongs(path))
      .map(
        ({ path, markdown }) => `- [${titleOf(markdown)}](https://api.example.com/docs/${path}.md)`,
      )
      .join('\n');
  return `# Integration API

> Leads, reservations, compounds and units of a real-estate platform, for the systems of its
> partners. Requests carry an API key in the header \`api-key\`. Every error has a stable code in the
> header \`x-error-code\`.

## Reference

- [OpenAPI 3.1](https://api.example.com/docs/openapi.json): every operation, field, error and event
- [OpenAPI for generators of clients](https://api.example.com/docs/openapi-client.json)
- [Postman collection](https://api.example.com/docs/collection.json)

## Guides

${list((path) => path.startsWith('guides/'))}

## Contract and client

${list((path) => ['rules', 'typescript'].includes(path))}

## Errors

${list((path) => path.startsWith('errors'))}
`;
}
