/** A line of a request: a parameter, a header, a check or what is taken from the response. */
interface Entry {
  readonly name: string;
  readonly value: string;
  readonly enabled: boolean;
}

/** A request of the collection, as Bruno's own library writes and reads it. */
export interface CollectionRequest {
  readonly meta: { readonly name: string };
  readonly http: { readonly method: string; readonly url: string; readonly auth: string };
  readonly params: readonly (Entry & { readonly type: 'path' | 'query' })[];
  readonly headers: readonly Entry[];
  readonly body?: { readonly json: string };
  readonly vars: { readonly res: readonly Entry[] };
  readonly assertions: readonly Entry[];
}

export function collectionOf(document: object): {
  readonly requests: readonly { readonly path: string; readonly request: CollectionRequest }[];
  readonly variables: ReadonlyMap<string, string>;
};
