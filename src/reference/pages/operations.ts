import type { OpenAPIObject } from '@nestjs/swagger';

export interface OperationLink {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** Method and path, such as `POST /leads`. */
  readonly route: string;
  /** Fragment of the operation on the reference page. */
  readonly fragment: string;
  readonly errorCodes: readonly string[];
}

interface ResponseContent {
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>
  >;
}

/** Lists the operations of the document in its order. */
export function operationLinks({ paths }: OpenAPIObject): OperationLink[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const {
        operationId: id = '',
        summary = '',
        description = '',
        tags: [tag = ''] = [],
      } = operation;
      const responses = Object.values(operation.responses) as ResponseContent[];
      const examples = responses.flatMap(({ content = {} }) => Object.values(content));
      return {
        id,
        summary,
        description,
        route: `${method.toUpperCase()} ${path}`,
        fragment: `tag/${tag.toLowerCase()}/${id}`,
        errorCodes: examples.flatMap(({ examples: named = {} }) => Object.keys(named)),
      };
    }),
  );
}
