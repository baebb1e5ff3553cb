import type { ComponentChildren } from 'preact';
import type { Language } from '../../../core/localization/language.js';
import type { Formats } from '../texts/formats.js';
import type { TextKey, Translate } from '../texts/text.js';

/** Who is logged in. */
export interface ConsoleSession {
  /** Tells sessions apart in logs; it does not open one. */
  readonly id: string;
  readonly expiresAt: Date;
}

/** What a page is made for. */
export interface PageRequest {
  /** The address below `/console`, without the query. */
  readonly path: string;
  /** Of the pattern of the address, as in `/leads/:id`. */
  readonly params: Readonly<Record<string, string>>;
  /** Of a parameter that is repeated the last value counts. */
  readonly query: Readonly<Record<string, string>>;
  /** The fields of the form; empty for a page that is only looked at. */
  readonly form: Readonly<Record<string, string>>;
  readonly session: ConsoleSession;
  /** The address of the reader's browser. */
  readonly address: string;
  /** `x-request-id` of the request. */
  readonly requestId: string;
  readonly language: Language;
  readonly text: Translate;
  readonly formats: Formats;
  /** What each form has to send as `token`: `<FormToken request={request} />` makes the field. */
  readonly formToken: string;
}

/** What a page shows: the frame around it is made for it. */
export interface PageContent {
  /** Below the heading of the page. */
  readonly body: ComponentChildren;
  /** Instead of the title of the page, as `Lead 17`. */
  readonly heading?: string;
  /** 200 unless it is given. */
  readonly status?: number;
  /** After how many seconds the page is to be loaded again where scripts run. */
  readonly refreshSeconds?: number;
}

/** Where to go after a form was taken, as an address below `/console`, such as `/webhooks?done=1`. */
export interface Redirect {
  readonly redirectTo: string;
}

/** What a form of a page does; its token has been checked. */
export interface PageAction {
  /** Below `/console`. */
  readonly path: string;
  /** @returns null where there is nothing of the kind: a 404 */
  run(request: PageRequest): Promise<PageContent | Redirect | null>;
}

/**
 * A page of the console. To add one: write an injectable class in a folder of its own here, whose data
 * comes from the services of features; add its texts to `texts/text.ts` and the class to `pages` in
 * `console.module.ts`. Nobody without a session reaches it.
 */
export interface ConsolePage {
  /** Below `/console`; as patterns of Fastify are: `/leads/:id`. */
  readonly path: string;
  readonly title: TextKey;
  /** Whether the menu leads to it; entries have the order of the pages. */
  readonly isInMenu: boolean;
  /** What its forms do, if it has any. */
  readonly actions?: readonly PageAction[];
  /** @returns null where there is nothing of the kind: a 404 */
  read(request: PageRequest): Promise<PageContent | null>;
}
