/** What an operation answers when it succeeds: one of the statuses that the reference has for it. */
export type Answer<Responses> = {
  readonly [Status in keyof Responses]: {
    readonly status: Status;
    readonly data: Responses[Status];
    readonly headers: Headers;
  };
}[keyof Responses];

/** The answer to a request with `if-none-match`, when what the caller has is current. */
export interface NotModified {
  readonly status: 304;
  readonly data: undefined;
  readonly headers: Headers;
}

/** What goes for one call alone. */
export interface CallOptions {
  /** Ends the call, also while it waits before the next try. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for all tries together, in place of what the client has. */
  readonly totalTimeoutMs?: number | undefined;
}

/** An operation of the API: it takes what the reference describes, and throws every error. */
export type Operation<Data, Responses> = Conditional<Data, Responses> &
  AsText<Data> &
  Call<Data, Responses>;

/** A call; the request may be left out when nothing of it is required. */
type Call<Data, Responses> =
  Partial<Sent<Data>> extends Sent<Data>
    ? (request?: Sent<Data>, options?: CallOptions) => Promise<Answer<Responses>>
    : (request: Sent<Data>, options?: CallOptions) => Promise<Answer<Responses>>;

type Sent<Data> = Omit<Data, 'url'>;

/** With an entity tag there may be nothing new. */
type Conditional<Data, Responses> =
  HasKey<Data, 'headers', 'if-none-match'> extends true
    ? (
        request: Sent<Data> & { headers: { 'if-none-match': string } },
        options?: CallOptions,
      ) => Promise<Answer<Responses> | NotModified>
    : unknown;

/** Files that are no JSON come as text. */
type AsText<Data> =
  HasKey<Data, 'query', 'format'> extends true
    ? (
        request: Sent<Data> & { query: { format: 'csv' | 'ndjson' } },
        options?: CallOptions,
      ) => Promise<Answer<{ 200: string }>>
    : unknown;

type HasKey<Data, Part extends string, Key extends string> = Data extends {
  [Name in Part]?: infer Value;
}
  ? Key extends keyof NonNullable<Value>
    ? true
    : false
  : false;
