import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { OperatorRequest } from '../operator-log/operator-log.service.js';
import type { PageServices } from './page-services.js';

export type StringValues = Readonly<Record<string, string>>;

/** A reader may not be logged in yet. */
export interface RenderContext {
  /** Path below `/console`, without the query; after a form, the path of its page. */
  readonly path: string;
  readonly query: StringValues;
  /** Parameters of the page's pattern, such as `/leads/:organization/:id`. */
  readonly params: StringValues;
  readonly now: Date;
  /** Identifies the session in logs, but cannot open one. */
  readonly session: string | null;
  /** Forms send it as `token`; empty without a session. */
  readonly formToken: string;
  /** True once a logged request has disclosed personal data. */
  readonly isShown: boolean;
}

export interface PageRequest extends RenderContext {
  readonly form: StringValues;
  readonly session: string;
  readonly address: string;
  /** Maximum time for the database to respond. */
  readonly deadlineMs: number;
  readonly services: PageServices;
}

/** The record of an action in the operator's log. */
export type Subject = Pick<OperatorRequest, 'organizationId' | 'subject' | 'subjectId'>;

export interface PageContent {
  readonly body: ComponentChildren;
  /** Heading: what the page shows, such as `Lead 17`; the page's title without it. */
  readonly heading?: string;
  /** A line below the heading. */
  readonly summary?: ComponentChildren;
  /** Outcome of an action, above the body. */
  readonly notice?: ComponentChildren;
  /** Record whose personal data is hidden until the reader asks for it. */
  readonly personal?: Subject & { readonly subject: 'lead' | 'delivery' };
  readonly isShown?: boolean;
  readonly status?: number;
  readonly refreshSeconds?: number;
}

/** Target of a form below `/console`, such as `/webhooks?done=1`. */
export interface Redirect {
  readonly redirectTo: string;
}

/** Handles a page, or a form whose token has been checked; null becomes a 404. */
type Handler<Outcome> = (request: PageRequest) => Promise<Outcome | null>;

/** Only readers with a session see it. List new pages in `pages/pages.ts`. */
export interface ConsolePage {
  /** Fastify's pattern below `/console`, such as `/leads/:id`. */
  readonly path: string;
  readonly title: string;
  readonly isInMenu?: boolean;
  /** Keyed by the segment that follows the page's path. */
  readonly actions?: Readonly<Record<string, Handler<PageContent | Redirect>>>;
  readonly read: Handler<PageContent>;
}

export const CurrentRenderContext = createContext<RenderContext | null>(null);

export function useRenderContext(): RenderContext {
  const context = useContext(CurrentRenderContext);
  if (context === null) throw new Error('A component is rendered outside a document.');
  return context;
}
