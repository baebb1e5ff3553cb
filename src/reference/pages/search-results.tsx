import type { Language } from '../../core/localization/language.js';
import type { SearchResult } from './search.js';
import { pageTexts } from './texts.js';

interface Props {
  readonly query: string;
  readonly language: Language;
  readonly results: readonly SearchResult[];
}

export function SearchResults({ query, language, results }: Props) {
  const texts = pageTexts[language];
  return (
    <>
      <h1>{query === '' ? texts.search : `${texts.search}: ${query}`}</h1>
      {query !== '' && results.length === 0 && <p>{texts.noResult}</p>}
      <ol class="results">
        {results.map((result) => (
          <li key={result.target} lang={result.language.slice(0, 2)} dir="auto">
            <a href={result.target}>{result.title}</a>
            {result.page !== '' && <span> – {result.page}</span>}
            <p>{result.excerpt}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
