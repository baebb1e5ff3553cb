import type { Types } from 'mongoose';
import type { DomainError } from '../http/errors/domain-error.js';
import type { RequestCaller } from '../http/request-caller.js';
import type { ServiceResponse } from '../idempotency/idempotency-claim.js';

export interface WriteRequest {
  readonly caller: RequestCaller;
}

/** Records that requests of a group share, with what was decided about them so far. */
export interface PendingWrites {
  /** Contention keys: of transactions that have one in common, one is stored and the others run again. */
  readonly lockKeys: readonly string[];
  readonly bytes: number;
}

export interface LoadOptions {
  readonly organizationId: Types.ObjectId;
  readonly now: Date;
  /** Nothing is stored: the requests only ask what they would do. */
  readonly isDryRun: boolean;
}

/** Records, and for how many of the requests, from the first on, they were loaded. */
export interface Loaded<Records> {
  readonly records: Records;
  readonly count: number;
}

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
  readonly name: string;
  /** Reads all that the requests may touch; at least for the first one. */
  load(requests: readonly Request[], options: LoadOptions): Promise<Loaded<Records>>;
  /** Changes the records without input or output; throws a DomainError which refuses this request alone. */
  decide(records: Records, request: Request): Decision;
  store(records: Records, organizationId: Types.ObjectId): Promise<void>;
  respond(
    decided: readonly Decided<Request, Decision>[],
  ): readonly Response[] | Promise<readonly Response[]>;
  /** Called after a lost race for a unique index, before the requests run again. */
  onDuplicateKey?(index: string, request: Request): Promise<void>;
}

export type WriteOutcome<Response> = PromiseSettledResult<Response>;

/** Requests of one caller that one transaction stores, and one response answers. */
export interface Batch<Request, Response, Whole extends ServiceResponse> {
  readonly caller: WriteRequest['caller'];
  readonly requests: readonly Request[];
  /** How much they may change; further requests are refused. */
  readonly maxBytes: number;
  readonly fullError: DomainError;
  responseTo(outcomes: readonly WriteOutcome<Response>[]): Whole;
  alsoStore(response: Whole, now: Date): Promise<void>;
}
