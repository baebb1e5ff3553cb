// The requests of a collection, made from the document of the API: one for each operation, with the
// first of its examples. The links of the document say what of a response the next requests take.

/**
 * What a collection holds, in the form that Bruno's own library writes.
 *
 * @param document the OpenAPI document
 * @returns its requests, and the variables that they use with their examples
 */
export function collectionOf(document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const variables = linkedParameters(operations);
  const requests = operations.map((operation, index) => ({
    path: `${operation.tags[0]}/${operation.operationId}.bru`,
    request: requestOf(operation, index + 1, variables),
  }));
  return { requests, variables };
}

/** The examples of what responses give to later requests, by the name of the parameter. */
function linkedParameters(operations) {
  const found = new Map();
  for (const { responses } of operations) {
    for (const { operationId, parameters } of linksOf(responses)) {
      const target = operations.find((operation) => operation.operationId === operationId);
      for (const name of Object.keys(parameters ?? {})) {
        found.set(name, exampleOf(target.parameters.find((one) => one.name === name)));
      }
    }
  }
  return found;
}

function linksOf(responses) {
  return Object.values(responses).flatMap(({ links = {} }) => Object.values(links));
}

function exampleOf({ example, schema }) {
  return example ?? schema.example ?? '';
}

function requestOf(operation, seq, variables) {
  const { path, method, parameters = [], requestBody, responses, security } = operation;
  const inPlace = (place) => parameters.filter((parameter) => parameter.in === place);
  const statuses = Object.keys(responses).filter((status) => status.startsWith('2'));
  const body = firstExample(operation, variables);
  const queries = inPlace('query').map((parameter) => ({
    name: parameter.name,
    value: parameter.required ? parameterValue(parameter, variables) : '',
    type: 'query',
    enabled: parameter.required === true,
  }));
  // Bruno sends its address as it is.
  const sent = queries.filter(({ enabled }) => enabled);
  const query = sent.map(({ name, value }) => `${name}=${value}`).join('&');
  return {
    meta: { name: operation.summary, type: 'http', seq },
    http: {
      method,
      url: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}${query === '' ? '' : `?${query}`}`,
      body: body === undefined ? 'none' : 'json',
      auth: security?.length === 0 ? 'none' : 'inherit',
    },
    params: [
      ...queries,
      ...inPlace('path').map((parameter) => ({
        name: parameter.name,
        value: parameterValue(parameter, variables),
        type: 'path',
        enabled: true,
      })),
    ],
    headers: inPlace('header').map(headerOf),
    ...(body === undefined ? {} : { body: { json: JSON.stringify(body, null, 2) } }),
    vars: { res: takenFromResponse(responses) },
    assertions: [
      {
        name: 'res.status',
        value: statuses.length > 1 ? `in ${statuses.join(', ')}` : `eq ${statuses[0]}`,
        enabled: true,
      },
    ],
    docs: docsOf(operation, requestBody),
  };
}

function parameterValue(parameter, variables) {
  const example = exampleOf(parameter);
  return variables.get(parameter.name) === example ? `{{${parameter.name}}}` : example;
}

/** A key is a new one each time; the others are there to be switched on. */
function headerOf({ name }) {
  const isKey = name === 'idempotency-key';
  const value = { 'idempotency-key': '"{{$guid}}"', language: 'ar-eg' }[name] ?? '';
  return { name, value, enabled: isKey };
}

function firstExample({ requestBody }, variables) {
  const examples = requestBody?.content['application/json'].examples;
  if (examples === undefined) return undefined;
  const renewed = requestBody['x-renewed-field'];
  const [{ value }] = Object.values(examples);
  const names = new Map([...variables].map(([name, example]) => [example, `{{${name}}}`]));
  const filled = JSON.parse(JSON.stringify(value), (_, one) => names.get(one) ?? one);
  return renewed === undefined ? filled : { ...filled, [renewed]: `${value[renewed]}-{{$guid}}` };
}

/** What the links of the responses name: `$response.body#/lead/_id` is `res.body.lead._id`. */
function takenFromResponse(responses) {
  const taken = linksOf(responses).flatMap(({ parameters }) => Object.entries(parameters ?? {}));
  return Object.entries(Object.fromEntries(taken)).map(([name, expression]) => ({
    name,
    value: expression.replace('$response.body#/', 'res.body.').replaceAll('/', '.'),
    enabled: true,
    local: false,
  }));
}

function docsOf({ description = '', parameters = [] }, requestBody) {
  const examples = Object.values(requestBody?.content['application/json'].examples ?? {});
  return [
    // Pictures lie beside the reference.
    description.replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '').trim(),
    parameters.map(({ name, description: text }) => `- \`${name}\`: ${text}`).join('\n'),
    ...examples
      .slice(1)
      .map(
        ({ summary, value }) =>
          `${summary}:\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
      ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
