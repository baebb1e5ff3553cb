import type { DemoClient, Print } from '../client/demo-client.js';

/** An endpoint of the walk's organization. */
export interface DemoSubscription {
  readonly secret: string;
  /** Why the service does not send to it; null while there is no reason. */
  rejectionReason(): Promise<string | null>;
  end(): Promise<void>;
}

/** Subscribes a URL to all events of the walk's organization, as the operator would; null where it is not allowed. */
export type Subscribe = (url: string) => Promise<DemoSubscription | null>;

/** Erases the leads with an external id, as the operator would, and tells what was removed. */
export type Forget = (recordSystemId: string) => Promise<Readonly<Record<string, number>>>;

/** One walk through the API, in an organization that nobody else uses. */
export interface DemoRun {
  readonly client: DemoClient;
  readonly print: Print;
  readonly subscribe: Subscribe;
  readonly forget: Forget;
}

/** A part of the demo with a heading. */
export interface Chapter {
  readonly title: string;
  /** Sends its requests and prints them; throws an Error with one line at an unexpected response. */
  readonly execute: (run: DemoRun) => Promise<void>;
}
