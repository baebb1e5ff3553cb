import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface Content {
  readonly schema?: Schema;
  example?: unknown;
}

/** Tools that compose an example from a schema cannot know that a 200 updates and a 201 creates. */
const operationOf: Readonly<Record<string, string>> = { '200': 'update', '201': 'create' };

/** Adds an example to each JSON response without one, composed from the examples of the fields. */
export function addResponseExamples({ paths, components }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  for (const { responses } of Object.values(paths).flatMap(operationsOf)) {
    const isUpsert = '200' in responses && '201' in responses;
    for (const [status, response] of Object.entries(responses)) {
      const operation = isUpsert ? operationOf[status] : undefined;
      for (const media of mediaTypesOf(response)) addExample(media, schemas, operation);
    }
  }
}

function mediaTypesOf(response: object = {}): Content[] {
  return Object.values((response as { content?: Readonly<Record<string, Content>> }).content ?? {});
}

function addExample(
  media: Content,
  schemas: Readonly<Record<string, Schema>>,
  operation: string | undefined,
): void {
  if (media.schema === undefined || 'example' in media || 'examples' in media) return;
  const example = exampleOf(media.schema, schemas);
  if (example === undefined) return;
  media.example = operation === undefined ? example : { ...example, operation };
}

function operationsOf({ get, post, delete: deletion }: OpenAPIObject['paths'][string]) {
  return [get, post, deletion].filter((operation) => operation !== undefined);
}

/** Omits fields without an example, which no success has. */
function exampleOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): unknown {
  const { $ref, example, properties, items, anyOf, allOf: [only] = anyOf ?? [] } = schema;
  if (example !== undefined) return example;
  if (only !== undefined) return exampleOf(only, schemas);
  if ($ref !== undefined) return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  if (items !== undefined) return [exampleOf(items, schemas)];
  if (properties === undefined) return undefined;
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    exampleOf(field, schemas),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
