import type { FastifyInstance } from 'fastify';
import type { MongoClient } from 'mongodb';

/** What a span says besides its name and times: nothing personal and nothing secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Says more of a span once it is known. */
export type Describe = (attributes: SpanAttributes) => void;

/** Runs work as part of the trace that it was made in. */
export type InTrace = <T>(work: () => T) => T;

/** What makes spans and sends them to a collector. */
export interface Tracing {
  /** Makes a span of some work, within the one that is open around it. */
  trace<T>(
    name: string,
    attributes: SpanAttributes,
    work: (describe: Describe) => Promise<T>,
  ): Promise<T>;
  /** For work that is done later, by somebody else. */
  current(): InTrace;
  /** Makes a span of each request from now on. */
  traceRequests(fastify: FastifyInstance): void;
  /** Makes a span of each command to the database that belongs to a trace. */
  traceCommands(client: MongoClient): void;
  /** Sends what is not sent yet, as far as the collector takes it in time. */
  stop(): Promise<void>;
}

/** Of the process, as its variables say; nothing of it is loaded where they name no collector. */
let active: Tracing | undefined;

const untraced: InTrace = (work) => work();
const undescribed: Describe = () => undefined;

/** The tracing of this process, where there is one. */
export function tracing(): Tracing | undefined {
  return active;
}

export function setTracing(started: Tracing | undefined): void {
  active = started;
}

/** Runs work in a span; without tracing it only runs it. */
export function traced<T>(
  name: string,
  attributes: SpanAttributes,
  work: (describe: Describe) => Promise<T>,
): Promise<T> {
  return active === undefined ? work(undescribed) : active.trace(name, attributes, work);
}

/** Runs later work in the trace that is open now. */
export function inCurrentTrace(): InTrace {
  return active === undefined ? untraced : active.current();
}
