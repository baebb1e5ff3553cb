import type { Types } from 'mongoose';
import type { DomainError } from '../http/errors/domain-error.js';
import type { RequestCaller } from '../http/request-caller.js';
import type { ServiceResponse } from '../idempotency/idempotency-claim.js';

export interface WriteRequest {
  readonly caller: RequestCaller;
}

/** Records that the requests of a group share, including decisions made so far. */
export interface PendingWrites {
  /** Of concurrent transactions with a common lock key, one commits and the others retry. */
  readonly lockKeys: readonly string[];
  readonly bytes: number;
}

export interface LoadOptions {
  readonly organizationId: Types.ObjectId;
  readonly now: Date;
  readonly isDryRun: boolean;
}

/** The records cover the first `count` requests. */
export interface LoadedRecords<Records> {
  readonly records: Records;
  readonly count: number;
}

export interface DecidedRequest<Request, Decision> {
  readonly request: Request;
  readonly decision: Decision;
}

/** Defines how requests of one organization are decided together and stored in one transaction. */
export interface WriteHandler<
  Request extends WriteRequest,
  Records extends PendingWrites,
  Decision,
  Response extends ServiceResponse,
> {
  readonly name: string;
  /** Reads everything that the requests may touch; covers at least the first one. */
  load(requests: readonly Request[], options: LoadOptions): Promise<LoadedRecords<Records>>;
  /** Changes the records without I/O; throws a DomainError that rejects only this request. */
  decide(records: Records, request: Request): Decision;
  store(records: Records, organizationId: Types.ObjectId): Promise<void>;
  respond(
    decided: readonly DecidedRequest<Request, Decision>[],
  ): readonly Response[] | Promise<readonly Response[]>;
  /** Called after a lost race for a unique index, before the requests run again. */
  onDuplicateKey?(index: string, request: Request): Promise<void>;
}

export type WriteOutcome<Response> = PromiseSettledResult<Response>;

/** Requests of one caller that share a transaction and a response. */
export interface Batch<Request, Response, Whole extends ServiceResponse> {
  readonly caller: WriteRequest['caller'];
  readonly requests: readonly Request[];
  /** Once the changes exceed this size, further requests are rejected. */
  readonly maxBytes: number;
  readonly fullError: DomainError;
  responseTo(outcomes: readonly WriteOutcome<Response>[]): Whole;
  alsoStore(response: Whole, now: Date): Promise<void>;
}
