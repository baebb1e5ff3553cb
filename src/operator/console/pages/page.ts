import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Language } from '../../../core/localization/language.js';
import type { Formats } from '../texts/formats.js';
import type { TextKey, Translate } from '../texts/text.js';

/** A reader of the console, logged in or not, and the address that is open. */
export interface Reader {
  /** Below `/console`, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly language: Language;
  readonly text: Translate;
  readonly formats: Formats;
  /** Each form sends it as `token`; empty without a session. */
  readonly formToken: string;
}

export interface PageRequest extends Reader {
  /** From the pattern of the address, such as `/leads/:id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** Identifies the session in logs; it cannot open one. */
  readonly session: string;
  readonly address: string;
  readonly now: Date;
}

export interface PageContent {
  readonly body: ComponentChildren;
  /** Instead of the page's title, such as `Lead 17`. */
  readonly heading?: string;
  readonly status?: number;
  readonly refreshSeconds?: number;
}

/** Where a form leads to, below `/console`, such as `/webhooks?done=1`. */
export interface Redirect {
  readonly redirectTo: string;
}

/** The handler of a form; its token has been checked. */
export interface PageAction {
  /** Below `/console`. */
  readonly path: string;
  /** @returns null for a 404 */
  run(request: PageRequest): Promise<PageContent | Redirect | null>;
}

/**
 * A page of the console, for readers with a session only. To add one: write an injectable class here, whose
 * data comes from services of features, and list it in `console.module.ts`; its texts are in `texts`.
 */
export interface ConsolePage {
  /** A pattern of Fastify below `/console`, such as `/leads/:id`. */
  readonly path: string;
  readonly title: TextKey;
  readonly isInMenu: boolean;
  readonly actions?: readonly PageAction[];
  /** @returns null for a 404 */
  read(request: PageRequest): Promise<PageContent | null>;
}

export const ReaderContext = createContext<Reader | null>(null);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === null) throw new Error('A component is rendered outside a document.');
  return reader;
}
