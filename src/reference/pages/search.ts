import { LRUCache } from 'lru-cache';
import MiniSearch from 'minisearch';
import { foldName } from '../../core/localization/fold-name.js';
import type { Language } from '../../core/localization/language.js';
import type { Page } from './document-pages.js';
import { sectionsOf, titleOf } from './markdown.js';
import type { OperationLink } from './operations.js';

export interface SearchResult {
  readonly title: string;
  /** Title of the page that contains the section. */
  readonly page: string;
  /** Relative to `/docs/`. */
  readonly target: string;
  readonly language: Language;
  readonly excerpt: string;
}

export type Search = (query: string, language: Language) => SearchResult[];

interface Entry extends Omit<SearchResult, 'excerpt'> {
  readonly text: string;
}

const maxResults = 25;
/** A longer query takes longer and finds nothing more. */
const maxQueryLength = 100;
/** The pages are public, and each term costs time. */
const maxTerms = 8;
/** Most words of the documents begin with a short prefix, and most short words are similar. */
const minPrefixLength = 3;
const minFuzzyLength = 4;
/** About 2 MB, because a query has at most 25 results with short excerpts. */
const maxKnownQueries = 200;
const excerptLength = 180;

/** Arabic writes the article, and some prepositions and conjunctions, as a part of the next word. */
const arabicPrefix = /^(?:[وفبك]?ال|لل)(?=\p{L}{3})/u;

const signPage: Entry = {
  title: 'Sign a callback',
  page: '',
  target: 'sign-callback',
  language: 'en-us',
  text: 'Computes the signature of a callback in the browser, and sends it: for a wrong or invalid signature.',
};

/** Builds the index of sections, errors and operations. */
export function createSearch(pages: readonly Page[], operations: readonly OperationLink[]): Search {
  const entries = [...pages.flatMap(pageEntries), ...operations.map(operationEntry), signPage];
  const index = new MiniSearch<Entry & { id: number }>({
    fields: ['title', 'page', 'text'],
    processTerm: searchTerms,
    searchOptions: {
      boost: { title: 4, page: 2 },
      prefix: (term) => term.length >= minPrefixLength,
      fuzzy: (term) => (term.length >= minFuzzyLength ? 0.15 : false),
    },
  });
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  const find = (terms: readonly string[], language: Language) => {
    const some = index.search(terms.join(' '), {
      tokenize: () => [...terms],
      processTerm: (term) => term,
      boostDocument: (id: number) => boostOf(entries[id], language),
    });
    const all = some.filter((result) => result.queryTerms.length === terms.length);
    const found = all.length > 0 ? all : some;
    return found.slice(0, maxResults).flatMap((result) => {
      const entry = entries[Number(result.id)];
      return entry === undefined
        ? []
        : { ...entry, excerpt: excerptOf(entry.text, result.queryTerms) };
    });
  };
  const known = new LRUCache<string, SearchResult[]>({ max: maxKnownQueries });
  return (query, language) => {
    const terms = queryTerms(query);
    const key = `${language} ${terms.join(' ')}`;
    const results = known.get(key) ?? find(terms, language);
    known.set(key, results);
    return results;
  };
}

const splitWords = MiniSearch.getDefault('tokenize') as (text: string) => string[];

/** Returns the first distinct terms. */
function queryTerms(query: string): string[] {
  const words = splitWords(query.slice(0, maxQueryLength)).filter((word) => word !== '');
  return [...new Set(words.flatMap(searchTerms))].slice(0, maxTerms);
}

/** Guides explain more than the short pages of errors, which would otherwise come first. */
function boostOf(entry: Entry | undefined, language: Language): number {
  const guide = entry?.target.startsWith('guides/') === true ? 1.5 : 1;
  return guide * (entry?.language === language ? 2 : 1);
}

function pageEntries({ path, language, markdown }: Page): Entry[] {
  const page = titleOf(markdown);
  if (path.startsWith('errors/')) {
    const text = sectionsOf(markdown)
      .map((section) => section.text)
      .join(' ');
    return [{ title: page, page: '', target: path, language, text }];
  }
  return sectionsOf(markdown).map(({ title, anchor, text }, index) => ({
    title,
    page: title === page ? '' : page,
    target: index === 0 ? path : `${path}#${anchor}`,
    language,
    text,
  }));
}

function operationEntry({ id, summary, description, route, fragment }: OperationLink): Entry {
  return {
    title: summary,
    page: route,
    target: `./#${fragment}`,
    language: 'en-us',
    text: `${description} ${id}`,
  };
}

function searchTerms(word: string): string[] {
  const term = foldName(word);
  const stem = term.replace(arabicPrefix, '');
  return term === stem ? [term] : [term, stem];
}

/** Returns the text around the first word that was searched for. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const found = Math.min(...places, text.length);
  const start =
    found > excerptLength && found < text.length ? text.lastIndexOf(' ', found - 60) + 1 : 0;
  const limit = start + excerptLength;
  if (limit >= text.length) return `${start > 0 ? '… ' : ''}${text.slice(start).trim()}`;
  const wordEnd = text.lastIndexOf(' ', limit);
  const excerpt = text.slice(start, wordEnd > start ? wordEnd : limit).trim();
  return `${start > 0 ? '… ' : ''}${excerpt} …`;
}
