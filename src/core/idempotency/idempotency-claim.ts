import type { Types } from 'mongoose';

/** What a service responds with, before it is sent. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined for none. */
  readonly body?: Body;
}

/** A response as it is sent again and again. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for none. */
  readonly body: string | null;
}

/** A request's right to be the one that runs for its `Idempotency-Key` (rule HTTP-23). */
export interface IdempotencyClaim {
  readonly organizationId: Types.ObjectId;
  readonly recordId: Types.ObjectId;
  /** Who runs: a claim that was taken over has another one. */
  readonly owner: string;
  /** The headers that the response has already. */
  readonly headersSoFar: () => Readonly<Record<string, string>>;
  /** What the last attempt of its transaction stored; it counts when that is what is sent. */
  response?: StoredResponse;
}

/** An answer as it is stored for a claim. */
export function storedResponse(
  { headersSoFar }: IdempotencyClaim,
  { status, headers, body }: Answer,
): StoredResponse {
  const type = body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  return {
    status,
    headers: { ...headersSoFar(), ...type, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  };
}
