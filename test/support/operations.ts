import { readFileSync } from 'node:fs';
import { basePath } from './shared-service.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly example?: unknown;
}

interface DocumentedParameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
}

interface JsonContent {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: object }>>;
}

interface DocumentedOperation {
  readonly 'x-key-operation'?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, JsonContent>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface ReferenceDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  /** The method and the path below the base path, such as `GET /leads/{recordSystemId}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly hasBody: boolean;
  readonly needsKey: boolean;
  /** The operation that a key must permit, or null when the endpoint needs none. */
  readonly keyOperation: string | null;
  readonly statuses: readonly number[];
  readonly positions: readonly Position[];
  /** The required fields of the body with the values of their examples. */
  readonly exampleBody: Readonly<Record<string, unknown>>;
  /** The first example of the body, and every other field whose value has an example. */
  readonly fullBody: Readonly<Record<string, unknown>>;
}

export interface Position {
  readonly place: 'path' | 'query' | 'header' | 'body';
  /** The name of the parameter, or the keys that lead to the value in the body. */
  readonly steps: readonly string[];
  /** Only for fields of a body. Null is a value of its own for a `nullable` one. */
  readonly field?: 'required' | 'nullable' | 'optional';
}

/** Reads the generated reference, so that new endpoints are tested without a change here. */
export function documentedOperations(): Operation[] {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as ReferenceDocument;
  const { schemas } = document.components;
  return Object.entries(document.paths).flatMap(([fullPath, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const path = fullPath.slice(basePath.length + 1);
      const { schema, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
      const [example] = Object.values(examples);
      const parameters = operation.parameters ?? [];
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        hasBody: schema !== undefined,
        needsKey: (operation.security ?? []).length > 0,
        keyOperation: operation['x-key-operation'] ?? null,
        statuses: Object.keys(operation.responses).map(Number),
        positions: [
          ...parameters.map(({ in: place, name }) => ({ place, steps: [name] })),
          ...(schema === undefined ? [] : bodyPositions(schema, schemas)),
        ],
        exampleBody: schema === undefined ? {} : exampleOf(resolved(schema, schemas), schemas),
        fullBody: { ...(schema && (fullExampleOf(schema, schemas) as object)), ...example?.value },
      };
    }),
  );
}

/**
 * Returns the body, or a part of it, with a value at these steps. Each array on the path becomes an array of one item.
 */
export function withValueAt(
  base: unknown,
  [step, ...steps]: readonly string[],
  value: unknown,
): unknown {
  if (step === undefined) return value;
  if (step === '[]') return [withValueAt(Array.isArray(base) ? base[0] : undefined, steps, value)];
  const object = typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {};
  const inner = (object as Readonly<Record<string, unknown>>)[step];
  return { ...object, [step]: withValueAt(inner, steps, value) };
}

/** Returns the JSON of a body with the given bytes at these steps, even if they are not valid JSON. */
export function jsonWith(
  base: unknown,
  steps: readonly string[],
  text: string | Buffer,
): Buffer<ArrayBuffer> {
  const mark = '\u{FFFC}here';
  const parts = JSON.stringify(withValueAt(base, steps, mark)).split(JSON.stringify(mark));
  const [before = '', after = ''] = parts;
  return Buffer.concat([Buffer.from(before), Buffer.from(text), Buffer.from(after)]);
}

type Schemas = Readonly<Record<string, Schema>>;

/** Stands for a key of an object that accepts any key. */
const anyKey = 'anything';

function bodyPositions(
  schema: Schema,
  schemas: Schemas,
  steps: readonly string[] = [],
  field?: Position['field'],
): Position[] {
  const {
    properties = {},
    required = [],
    items,
    oneOf = [],
    additionalProperties,
  } = resolved(schema, schemas);
  const fieldOf = (name: string, { type = [] }: Schema) => {
    if (required.includes(name)) return 'required';
    return type.includes('null') ? 'nullable' : 'optional';
  };
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  const found = [
    ...(steps.length === 0 ? [] : [{ place: 'body' as const, steps, ...(field && { field }) }]),
    ...Object.entries(properties).flatMap(([name, inner]) =>
      bodyPositions(inner, schemas, [...steps, name], fieldOf(name, inner)),
    ),
    ...(isOpen ? [{ place: 'body' as const, steps: [...steps, anyKey] }] : []),
    ...(items === undefined ? [] : bodyPositions(items, schemas, [...steps, '[]'])),
    ...oneOf.flatMap((variant) => bodyPositions(variant, schemas, steps)),
  ];
  const names = found.map((position) => position.steps.join('.'));
  return found.filter((_, index) => names.indexOf(names[index] ?? '') === index);
}

function exampleOf(
  { properties = {}, required = [] }: Schema,
  schemas: Schemas,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    required.map((name) => {
      const schema = resolved(properties[name] ?? {}, schemas);
      const { example, type, items } = schema;
      if (example !== undefined) return [name, example];
      if (type === 'array') return [name, [exampleOf(resolved(items ?? {}, schemas), schemas)]];
      return [name, type === 'object' ? exampleOf(schema, schemas) : 'x'];
    }),
  );
}

/** Returns undefined for a schema without examples. */
function fullExampleOf(schema: Schema, schemas: Schemas): unknown {
  const { example, properties, items } = resolved(schema, schemas);
  if (example !== undefined) return example;
  if (items !== undefined) {
    const item = fullExampleOf(items, schemas);
    return item === undefined ? undefined : [item];
  }
  return (
    properties &&
    Object.fromEntries(
      Object.entries(properties).flatMap(([name, inner]) => {
        const value = fullExampleOf(inner, schemas);
        return value === undefined ? [] : [[name, value]];
      }),
    )
  );
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  const [only] = schema.allOf ?? [];
  const { $ref } = only ?? schema;
  return $ref === undefined
    ? schema
    : resolved(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
}
