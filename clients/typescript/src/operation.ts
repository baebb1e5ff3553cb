/** A successful response, with one of the statuses of the reference. */
export type ApiResponse<Responses> = {
  readonly [Status in keyof Responses]: {
    readonly status: Status;
    readonly data: Responses[Status];
    readonly headers: Headers;
  };
}[keyof Responses];

/** The response to `if-none-match` if nothing has changed. */
export interface NotModified {
  readonly status: 304;
  readonly data: undefined;
  readonly headers: Headers;
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, even during the pause before a retry. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for all attempts; overrides the client's. */
  readonly totalTimeoutMs?: number | undefined;
}

/** An operation of the API; every error is thrown. */
export type Operation<Data, Responses> = Conditional<Data, Responses> &
  AsText<Data> &
  Call<Data, Responses>;

/** The request is optional if none of its fields is required. */
type Call<Data, Responses> =
  Partial<Sent<Data>> extends Sent<Data>
    ? (request?: Sent<Data>, options?: CallOptions) => Promise<ApiResponse<Responses>>
    : (request: Sent<Data>, options?: CallOptions) => Promise<ApiResponse<Responses>>;

type Sent<Data> = Omit<Data, 'url'>;

type Conditional<Data, Responses> =
  HasKey<Data, 'headers', 'if-none-match'> extends true
    ? (
        request: Sent<Data> & { headers: { 'if-none-match': string } },
        options?: CallOptions,
      ) => Promise<ApiResponse<Responses> | NotModified>
    : unknown;

/** CSV and NDJSON are returned as text. */
type AsText<Data> =
  HasKey<Data, 'query', 'format'> extends true
    ? (
        request: Sent<Data> & { query: { format: 'csv' | 'ndjson' } },
        options?: CallOptions,
      ) => Promise<ApiResponse<{ 200: string }>>
    : unknown;

type HasKey<Data, Part extends string, Key extends string> = Data extends {
  [Name in Part]?: infer Value;
}
  ? Key extends keyof NonNullable<Value>
    ? true
    : false
  : false;
