import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = Readonly<Record<string, unknown>>;

interface Example {
  readonly place: string;
  readonly schema: unknown;
  readonly value: unknown;
}

interface Response {
  readonly content?: Readonly<Record<string, Json>>;
  readonly links?: Readonly<Record<string, Json>>;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-key-operation'?: string;
  readonly security?: readonly Json[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Components {
  readonly components: {
    readonly securitySchemes: Readonly<
      Record<string, { readonly in: string; readonly name: string }>
    >;
  };
}

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Json & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows a reference inside the document. */
function resolved(value: unknown): unknown {
  if (!isObject(value) || typeof value['$ref'] !== 'string') return value;
  const steps = value['$ref'].slice(2).split('/');
  return steps.reduce<unknown>((part, step) => (part as Json)[step], document);
}

/** Returns the values under `example` and `examples` of a schema, parameter, header or media type. */
function examplesOf(part: Json): unknown[] {
  const { example, examples } = part;
  const named = isObject(examples) ? Object.values(examples) : [];
  return [
    ...(example === undefined ? [] : [example]),
    ...named.map((one) => (resolved(one) as Json)['value']),
  ];
}

/** Schemas hold `example` themselves; parameters, headers and media types hold it next to `schema`. */
function collect(part: unknown, place = '#'): Example[] {
  if (Array.isArray(part)) return part.flatMap((item, index) => collect(item, `${place}/${index}`));
  if (!isObject(part)) return [];
  const { schema = part } = part;
  // The shared examples have no schema here; the responses that refer to them do.
  const own = place === '#/components' ? [] : examplesOf(part);
  const inner = Object.entries(part).filter(([key]) => key !== 'example' && key !== 'examples');
  return [
    ...own.map((value) => ({ place, schema, value })),
    ...inner.flatMap(([key, value]) => collect(value, `${place}/${key}`)),
  ];
}

const json = 'application/json';

const examplesFor = ({ responses }: Operation, status: string) => {
  const media = responses[status]?.content?.[json];
  return media === undefined ? [] : examplesOf(media);
};

function emptyObjects(value: unknown, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => emptyObjects(item, place));
  if (!isObject(value)) return [];
  const entries = Object.entries(value);
  if (entries.length === 0) return [place];
  return entries.flatMap(([key, inner]) => emptyObjects(inner, `${place}/${key}`));
}

describe('the OpenAPI document', () => {
  it('names the headers of signed callbacks, and the key in the query of the callback alone', () => {
    const { securitySchemes } = (document as unknown as Components).components;
    const inQuery = Object.entries(securitySchemes).filter(([, scheme]) => scheme.in === 'query');
    expect(inQuery.map(([, scheme]) => scheme.name)).toEqual(['api-key']);
    const using = operations.filter(({ security = [] }) =>
      security.some((scheme) => inQuery.some(([name]) => name in scheme)),
    );
    expect(using.map(({ operationId }) => operationId)).toEqual(['reportReservationChange']);
    const signed = operations.filter(({ parameters = [] }) =>
      ['id', 'timestamp', 'signature'].every((part) =>
        parameters.some(({ in: place, name }) => place === 'header' && name === `webhook-${part}`),
      ),
    );
    expect(signed).toEqual(using);
  });

  it('has neither literal bodies in links nor enumerations of booleans, which generators reject', () => {
    const links = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap((response) => Object.values(response.links ?? {})),
    );
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter(({ requestBody = '' }) => typeof requestBody !== 'string')).toEqual([]);
    expect(JSON.stringify(document)).not.toMatch(/"(enum|const)":\[?(true|false)/);
  });
});

describe('the examples of the OpenAPI document', () => {
  it('fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema(document, 'document');
    const validators = new Map<string, ValidateFunction>();
    const validatorOf = (schema: unknown) => {
      const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
      const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as Json);
      validators.set(text, validate);
      return validate;
    };
    const examples = collect(document);
    const problems = examples.flatMap(({ place, schema, value }) => {
      const validate = validatorOf(schema);
      return validate(value) ? [] : [`${place}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(problems).toEqual([]);
    expect(examples.length).toBeGreaterThan(300);
  });

  it('exist for every response with a JSON body, and are complete', () => {
    const found = operations.map((operation) => {
      const statuses = Object.entries(operation.responses).filter(
        ([, { content = {} }]) => json in content,
      );
      return statuses.map(([status]) => [status, examplesFor(operation, status)] as const);
    });
    const missing = found.flat().filter(([, examples]) => examples.length === 0);
    expect(missing).toEqual([]);
    const empty = operations.flatMap((operation) =>
      ['200', '201'].flatMap((status) =>
        emptyObjects(examplesFor(operation, status), `${operation.operationId} ${status}`),
      ),
    );
    expect(empty).toEqual([]);
  });

  it('say update in a 200 and create in a 201', () => {
    const upserts = operations.filter(({ responses }) => responses['200'] && responses['201']);
    expect(upserts.map(({ operationId }) => operationId)).toContain('upsertLead');
    for (const operation of upserts) {
      const said = ['200', '201'].map((status) => examplesFor(operation, status));
      const words = said.map((examples) => examples.map((body) => (body as Json)['operation']));
      expect([operation.operationId, words]).toEqual([
        operation.operationId,
        [['update'], ['create']],
      ]);
    }
  });

  it('name the operation that the key must permit in their 403', () => {
    const keyOperations = new Set(
      operations.map((operation) => operation['x-key-operation'] ?? ''),
    );
    const restricted = operations.filter((operation) => operation['x-key-operation'] !== undefined);
    expect(restricted.length).toBeGreaterThan(10);
    for (const operation of restricted) {
      const messages = JSON.stringify(examplesFor(operation, '403'));
      const named = [...keyOperations].filter((name) => name !== '' && messages.includes(name));
      expect([operation.operationId, named]).toEqual([
        operation.operationId,
        [operation['x-key-operation']],
      ]);
    }
  });
});
