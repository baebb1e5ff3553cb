import type { OpenAPIObject } from '@nestjs/swagger';
import { ownUrl } from './own-url.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

type Scalar = string | number | boolean | null;

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: { readonly example?: Scalar; readonly default?: Scalar };
}

interface Request {
  readonly name: string;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Stands for a value of the examples that differs in each run. */
interface Variable {
  readonly name: string;
  readonly example: string;
  /** The request that sets the variable: before it is sent, or by its response. */
  readonly source: Request;
  readonly script: string;
  readonly isFromResponse: boolean;
}

/** Fields of a body that no second record may repeat. */
const uniqueFields = new Set(['recordSystemId', 'unitId', 'phoneNumber', 'phoneNumber2']);

const lastSevenDigits = String.raw`/\d(?=(\D*\d){0,6}\D*$)/g`;

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const description = `Set the variable apiKey, then run a folder or the whole collection, in a test
organization: requests create, change and delete records. Each run sends new ids, phones and
Idempotency-Keys, and later requests use the records that earlier ones have created.`;

/** Creates a Postman collection (v2.1) with a request for each example of each operation (rule HTTP-14). */
export function postmanCollection({ info, tags = [], paths }: OpenAPIObject) {
  const requests = Object.entries(paths).flatMap(([path, item]) => requestsOf(path, item));
  const unique = uniqueValues(requests);
  const isUnique = (value: string) => unique.some(({ example }) => example === value);
  const linked = linkedValues(requests).filter(({ example }) => !isUnique(example));
  const variables = [...unique, ...linked];
  const folders = tags.map(({ name, description: text = '' }) => ({
    name,
    description: text,
    requests: requests.filter(
      (request) => !isDeletion(request) && request.operation.tags?.includes(name),
    ),
  }));
  const deletions = requests.filter(isDeletion);
  return {
    info: { name: info.title, description, schema },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'in', value: 'header', type: 'string' },
        { key: 'key', value: 'api-key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: ownUrl },
      { key: 'apiKey', value: '' },
      ...variables.map(({ name, example }) => ({ key: name, value: example })),
    ],
    item: [
      ...inOrderOfUse(folders, variables),
      { name: 'Deletions', description: 'Run these last.', requests: deletions },
    ].map(({ requests: items, ...folder }) => ({
      ...folder,
      item: items.map((request) => itemOf(request, variables)),
    })),
  };
}

function isDeletion({ method }: Request): boolean {
  return method === 'DELETE';
}

function requestsOf(path: string, item: OpenAPIObject['paths'][string]): Request[] {
  return (['post', 'get', 'delete'] as const).flatMap((verb) => {
    const operation = item[verb];
    if (operation === undefined) return [];
    const { summary: name = '' } = operation;
    const request = { name, operation, method: verb.toUpperCase(), path };
    const examples = bodyExamples(operation);
    if (examples.length < 2) return { ...request, body: examples[0]?.value };
    return examples.map(({ summary, value }) => ({
      ...request,
      name: `${name}: ${summary}`,
      body: value,
    }));
  });
}

function bodyExamples({ requestBody = { content: {} } }: Operation) {
  const { content } = requestBody as { content: Record<string, { examples?: object }> };
  return Object.values(content['application/json']?.examples ?? {}) as {
    summary: string;
    value: Readonly<Record<string, unknown>>;
  }[];
}

/** The first request that contains such a value sends a new one, and later requests the same. */
function uniqueValues(requests: readonly Request[]): Variable[] {
  const found = new Map<string, Variable>();
  for (const source of requests) {
    for (const [field, example] of recordsOf(source.body).flatMap(Object.entries)) {
      if (!uniqueFields.has(field) || found.has(String(example))) continue;
      const value = field.startsWith('phone')
        ? `${JSON.stringify(example)}.replace(${lastSevenDigits}, () => Math.floor(10 * Math.random()))`
        : `pm.variables.replaceIn('${String(example)}-{{$guid}}')`;
      const variable = { name: String(example), example: String(example), source };
      found.set(variable.name, {
        ...variable,
        script: `pm.collectionVariables.set(${JSON.stringify(variable.name)}, ${value});`,
        isFromResponse: false,
      });
    }
  }
  return [...found.values()];
}

/** Returns the objects whose fields describe what a body creates: a batch describes several leads. */
function recordsOf(body: Readonly<Record<string, unknown>> = {}): object[] {
  const { leads = [body] } = body as { leads?: readonly { data?: object }[] };
  return leads.flatMap((lead) => [lead, lead.data ?? {}]);
}

/** The links of the document say which value of a response is the parameter of another operation. */
function linkedValues(requests: readonly Request[]): Variable[] {
  const firsts = requests.filter(
    (request) => requests.find(({ operation }) => operation === request.operation) === request,
  );
  return firsts.flatMap((source) =>
    linksOf(source.operation).flatMap(({ operationId, parameters }) => {
      const target = firsts.find(({ operation }) => operation.operationId === operationId);
      return Object.entries(parameters).map(([parameter, pointer]) => {
        const name = `${source.operation.operationId}.${parameter}`;
        const steps = pointer
          .split('/')
          .slice(1)
          .map((step) => `?.[${JSON.stringify(step)}]`);
        const value = `pm.response.json()${steps.join('')}`;
        return {
          name,
          example: exampleOf(
            parametersOf(target).find((candidate) => candidate.name === parameter),
          ),
          source,
          script: `pm.collectionVariables.set(${JSON.stringify(name)}, ${value});`,
          isFromResponse: true,
        };
      });
    }),
  );
}

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

function linksOf({ responses }: Operation): Link[] {
  const successes = Object.entries(responses).filter(([status]) => status < '300');
  const links = successes.map(([, response]) => (response as { links?: object }).links ?? {});
  return Object.values(Object.assign({}, ...links) as Record<string, Link>);
}

function parametersOf(request: Request | undefined): readonly Parameter[] {
  return (request?.operation.parameters ?? []) as readonly Parameter[];
}

function exampleOf({ schema: { example, default: usual } = {} }: Partial<Parameter> = {}): string {
  return String(example ?? usual ?? '');
}

interface Folder {
  readonly name: string;
  readonly description: string;
  readonly requests: readonly Request[];
}

/** Folders that set variables come before folders that use them. */
function inOrderOfUse(folders: readonly Folder[], variables: readonly Variable[]): Folder[] {
  const isReady = (folder: Folder, others: readonly Folder[]) => {
    const text = JSON.stringify(
      folder.requests.map((request) => itemOf(request, variables).request),
    );
    return variables.every(
      ({ name, source }) =>
        !text.includes(`{{${name}}}`) || !others.some(({ requests }) => requests.includes(source)),
    );
  };
  const waiting = [...folders];
  const ordered: Folder[] = [];
  while (waiting.length > 0) {
    const ready = waiting.findIndex((folder) =>
      isReady(
        folder,
        waiting.filter((other) => other !== folder),
      ),
    );
    ordered.push(...waiting.splice(Math.max(ready, 0), 1));
  }
  return ordered;
}

function itemOf(request: Request, variables: readonly Variable[]) {
  const { name, operation, method, path, body } = request;
  const statuses = Object.keys(operation.responses).filter((status) => status < '300');
  const own = variables.filter(({ source }) => source === request);
  const before = own.filter(({ isFromResponse }) => !isFromResponse);
  const after = own.filter(({ isFromResponse }) => isFromResponse);
  const check = `pm.test('The status is documented', () => pm.expect(pm.response.code).to.be.oneOf([${statuses.join(', ')}]));`;
  const withVariables = (value: unknown) => replaced(value, variables);
  const parameters = parametersOf(request);
  const postmanPath = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const isKeyed = (operation.security ?? []).length > 0;
  return {
    name,
    event: [
      ...eventOf(
        'prerequest',
        before.map(({ script }) => script),
      ),
      ...eventOf('test', [check, ...after.map(({ script }) => script)]),
    ],
    request: {
      method,
      description: operation.description,
      ...(isKeyed ? {} : { auth: { type: 'noauth' } }),
      header: [
        ...(body === undefined ? [] : [{ key: 'content-type', value: 'application/json' }]),
        ...parameters.filter((sent) => sent.in === 'header').map(headerOf),
      ],
      url: {
        raw: `{{baseUrl}}${postmanPath}`,
        host: ['{{baseUrl}}'],
        path: postmanPath.slice(1).split('/'),
        query: parameters
          .filter((sent) => sent.in === 'query')
          .map((sent) => ({ ...valueOf(sent, withVariables), disabled: sent.required !== true })),
        variable: parameters
          .filter((sent) => sent.in === 'path')
          .map((sent) => valueOf(sent, withVariables)),
      },
      ...(body && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(withVariables(body), null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  };
}

function eventOf(listen: string, exec: readonly string[]) {
  return exec.length === 0 ? [] : [{ listen, script: { type: 'text/javascript', exec } }];
}

function headerOf(parameter: Parameter) {
  const { name: key, description: text } = parameter;
  return key === 'idempotency-key'
    ? { key, value: '{{$guid}}', description: text }
    : { key, value: exampleOf(parameter), description: text, disabled: true };
}

function valueOf(parameter: Parameter, withVariables: (value: unknown) => unknown) {
  const { name: key, description: text } = parameter;
  return { key, value: withVariables(exampleOf(parameter)), description: text };
}

/** Replaces the examples of variables, which the document uses for the same thing everywhere. */
function replaced(value: unknown, variables: readonly Variable[]): unknown {
  if (typeof value === 'string') {
    const variable = variables.find(({ example }) => example === value);
    return variable === undefined ? value : `{{${variable.name}}}`;
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, replaced(inner, variables)]),
  );
}
