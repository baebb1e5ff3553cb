import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Language } from '../../../core/localization/language.js';
import type { OperatorRequest } from '../../audit/operator-log.service.js';
import type { Formats } from '../texts/formats.js';
import type { TextKey, Translate } from '../texts/text.js';
import type { PageServices } from './services.js';

export type Texts = Readonly<Record<string, string>>;

/** A reader of the console, logged in or not, and the address that is open. */
export interface Reader {
  /** The page below `/console`, also after one of its forms; without the query. */
  readonly path: string;
  readonly query: Texts;
  /** From the pattern of the address, such as `/leads/:organization/:id`. */
  readonly params: Texts;
  readonly language: Language;
  readonly text: Translate;
  readonly formats: Formats;
  /** Identifies the session in logs; it cannot open one. */
  readonly session: string | null;
  /** Each form sends it as `token`; empty without a session. */
  readonly formToken: string;
  /** Whether personal data is shown, which has been logged. */
  readonly isShown: boolean;
}

export interface PageRequest extends Reader {
  readonly form: Texts;
  readonly session: string;
  readonly address: string;
  readonly now: Date;
  /** The time in which the database has to respond. */
  readonly deadlineMs: number;
  readonly services: PageServices;
}

/** The record of an action, in the operator's log. */
export type Subject = Pick<OperatorRequest, 'organizationId' | 'subject' | 'subjectId'>;

export interface PageContent {
  readonly body: ComponentChildren;
  /** Of the record, after the page's title, such as `Lead 17`. */
  readonly name?: string;
  /** The outcome of an action, above the body. */
  readonly notice?: ComponentChildren;
  /** The record whose personal data is hidden until the reader asks to see it. */
  readonly personal?: Subject;
  readonly isShown?: boolean;
  readonly status?: number;
  readonly refreshSeconds?: number;
}

/** Where a form leads to, below `/console`, such as `/webhooks?done=1`. */
export interface Redirect {
  readonly redirectTo: string;
}

/** A page, or the handler of a form whose token has been checked; null for a 404. */
type Handler<Outcome> = (request: PageRequest) => Promise<Outcome | null>;

/** A page of the console, for readers with a session only. To add one, list it in `pages.ts`. */
export interface ConsolePage {
  /** A pattern of Fastify below `/console`, such as `/leads/:id`. */
  readonly path: string;
  readonly title: TextKey;
  readonly isInMenu?: boolean;
  /** By the last part of the address, below that of the page. */
  readonly actions?: Readonly<Record<string, Handler<PageContent | Redirect>>>;
  readonly read: Handler<PageContent>;
}

export const ReaderContext = createContext<Reader | null>(null);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === null) throw new Error('A component is rendered outside a document.');
  return reader;
}
