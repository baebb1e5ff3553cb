import type { Binary } from 'mongodb';
import type { Types } from 'mongoose';

export interface ServiceResponse<Body = unknown> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export type CompressedResponse = Omit<StoredResponse, 'body'> & {
  readonly body: string | Binary | null;
};

/** A request's right to run for its `Idempotency-Key` (rule HTTP-23). */
export interface IdempotencyClaim {
  readonly organizationId: Types.ObjectId;
  readonly recordId: Types.ObjectId;
  /** The owner changes when another request takes over the claim. */
  readonly owner: string;
  readonly headersSoFar: () => Readonly<Record<string, string>>;
  /** Response stored by the last attempt of the transaction; committed only if the service also sends it. */
  response?: StoredResponse;
}
