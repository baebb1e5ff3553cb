/** A successful response, with one of the statuses of the reference. */
export type ApiResponse<Responses> = {
  readonly [Status in keyof Responses]: {
    readonly status: Status;
    readonly data: Responses[Status];
    readonly headers: Headers;
  };
}[keyof Responses];

/** The response to a request with `if-none-match` if nothing has changed. */
export interface NotModified {
  readonly status: 304;
  readonly data: undefined;
  readonly headers: Headers;
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, even during the pause before a retry. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of all attempts and pauses in milliseconds. It overrides the limit of the client. */
  readonly totalTimeoutMs?: number | undefined;
}

/** A method that calls an operation of the API and throws every error. */
export type Operation<Data, Responses> = ConditionalCall<Data, Responses> &
  TextCall<Data> &
  Call<Data, Responses>;

/** The request is optional if none of its fields is required. */
type Call<Data, Responses> =
  Partial<RequestOf<Data>> extends RequestOf<Data>
    ? (request?: RequestOf<Data>, options?: CallOptions) => Promise<ApiResponse<Responses>>
    : (request: RequestOf<Data>, options?: CallOptions) => Promise<ApiResponse<Responses>>;

type RequestOf<Data> = Omit<Data, 'url'>;

type ConditionalCall<Data, Responses> =
  HasKey<Data, 'headers', 'if-none-match'> extends true
    ? (
        request: RequestOf<Data> & { headers: { 'if-none-match': string } },
        options?: CallOptions,
      ) => Promise<ApiResponse<Responses> | NotModified>
    : unknown;

/** CSV and NDJSON are returned as text. */
type TextCall<Data> =
  HasKey<Data, 'query', 'format'> extends true
    ? (
        request: RequestOf<Data> & { query: { format: 'csv' | 'ndjson' } },
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
