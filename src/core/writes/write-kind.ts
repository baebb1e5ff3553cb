import type { Types } from 'mongoose';
import type { DomainError } from '../http/errors/domain-error.js';
import type { RequestCaller } from '../http/request-caller.js';
import type { ServiceResponse } from '../idempotency/idempotency-claim.js';

/** A request that changes something. */
export interface WriteRequest {
  readonly caller: RequestCaller;
}

/** Records that requests of a group share, with what was decided about them so far. */
export interface PendingWrites {
  /** Contention keys: of transactions that have one in common, one is stored and the others run again. */
  readonly locks: readonly string[];
  /** About how much was changed. */
  readonly bytes: number;
}

/** How records are loaded. */
export interface LoadOptions {
  readonly organizationId: Types.ObjectId;
  /** The time of the transaction. */
  readonly now: Date;
  /** Nothing is stored: the requests only ask what they would do. */
  readonly isDryRun: boolean;
}

/** Records, and for how many of the requests, from the first on, they were loaded. */
export interface Loaded<Records> {
  readonly records: Records;
  readonly count: number;
}

/** A request and the decision about it. */
export interface Decided<Request, Decision> {
  readonly request: Request;
  readonly decision: Decision;
}

/** A kind of write: how requests of one organization are decided together and stored in one transaction. */
export interface WriteKind<
  Request extends WriteRequest,
  Records extends PendingWrites,
  Decision,
  Response extends ServiceResponse,
> {
  /** In the names of metrics. */
  readonly name: string;
  /** Reads all that the requests may touch; at least for the first one. */
  load(requests: readonly Request[], options: LoadOptions): Promise<Loaded<Records>>;
  /**
   * Decides a request over the records, and changes them if it succeeds; does no input or output.
   *
   * @throws DomainError which refuses this request alone
   */
  decide(records: Records, request: Request): Decision;
  /** Stores the changes, in one command for each collection, and the events. */
  store(records: Records, organizationId: Types.ObjectId): Promise<void>;
  /** The responses to decided requests, for their `Idempotency-Key` and for the controller. */
  respond(
    decided: readonly Decided<Request, Decision>[],
  ): readonly Response[] | Promise<readonly Response[]>;
  /** Called after a lost race for a unique index, before the requests run again. */
  onDuplicateKey?(index: string, request: Request): Promise<void>;
}

/** The response to a request, or the reason for its refusal. */
export type Outcome<Response> = PromiseSettledResult<Response>;

/** Requests of one caller that one transaction stores, and one response answers. */
export interface Batch<Request, Response, Whole extends ServiceResponse> {
  readonly caller: WriteRequest['caller'];
  readonly requests: readonly Request[];
  /** How much they may change; further requests are refused. */
  readonly maxBytes: number;
  readonly fullError: DomainError;
  /** Makes the response of the outcomes, which are in the order of the requests. */
  answerOf(outcomes: readonly Outcome<Response>[]): Whole;
  /** Joins the transaction. */
  alsoStore?(response: Whole, now: Date): Promise<void>;
}
