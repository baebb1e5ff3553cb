// The page of the reference. It follows the links of the document: what one operation responded with
// takes the place of the examples of the next, and what works only once is renewed after its use.

const reference = await (await fetch('openapi.json')).json();
// The page calls the service that it was read from, and no other.
reference.servers = reference.servers.slice(0, 1);

/** Every operation by its id, with the path and method by which the user interface knows it. */
const operations = new Map(
  Object.entries(reference.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      { ...operation, place: [path, method] },
    ]),
  ),
);

/** New values for texts in the body's examples, by operation. */
const replacements = new Map([...operations.values()].map((operation) => [operation, new Map()]));

/** Headers that every response has, which the introduction explains. */
const commonHeaders = new Set([
  'x-request-id',
  'content-language',
  'vary',
  'cache-control',
  'ratelimit-policy',
  'ratelimit',
]);

const ui = globalThis.SwaggerUIBundle({
  spec: reference,
  domNode: document.querySelector('#reference'),
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  persistAuthorization: true,
  // Colors would take minutes for an export.
  syntaxHighlight: { activated: false },
  plugins: [
    () => ({
      fn: { resolveSubtree: withoutReferences },
      wrapComponents: { headers: withoutCommonHeaders },
      statePlugins: {
        spec: { wrapActions: { executeRequest: beforeRequest, setResponse: afterResponse } },
      },
    }),
  ],
  onComplete: () => {
    for (const operation of operations.values()) renewExamples(operation);
  },
});

/**
 * A part of the document with what it refers to in place. The library's own way to do this takes
 * seconds for each operation; this document refers to nothing outside itself, and never in circles.
 */
async function withoutReferences(document_, path) {
  const inPlace = (value) => {
    if (Array.isArray(value)) return value.map(inPlace);
    if (typeof value !== 'object' || value === null) return value;
    if (typeof value.$ref === 'string') return inPlace(at(value.$ref.slice(2).split('/')));
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inPlace(one)]));
  };
  const at = (keys) => keys.reduce((value, key) => value?.[key], document_);
  return { spec: inPlace(at(path)), errors: [] };
}

/** The tables of headers tell what is particular; that of an error is its code, which its text lists. */
function withoutCommonHeaders(Headers, { React }) {
  return ({ headers, ...others }) => {
    if (headers?.has('x-error-code')) return null;
    const particular = headers?.filter((_, name) => !commonHeaders.has(name));
    return React.createElement(Headers, { ...others, headers: particular });
  };
}

function beforeRequest(execute) {
  return (request) => {
    const operation = operationAt(request.pathName, request.method);
    const body = ui.oas3Selectors.requestBodyValue(...operation.place);
    if (typeof body === 'string') {
      const value = [...replacements.get(operation)].reduce(
        (text, [example, current]) =>
          text.replaceAll(JSON.stringify(example), JSON.stringify(current)),
        body,
      );
      if (value !== body) {
        ui.oas3Actions.setRequestBodyValue({ value, pathMethod: operation.place });
      }
    }
    return execute(request);
  };
}

function afterResponse(setResponse) {
  return (path, method, response) => {
    const operation = operationAt(path, method);
    if (response.ok) {
      followLinks(operation, response);
      renewExamples(operation);
    } else if (response.err?.response !== undefined) {
      // The next request would only get this error again, corrected or not.
      renewKey(operation);
    }
    return setResponse(path, method, response);
  };
}

function operationAt(path, method) {
  return operations.get(reference.paths[path][method].operationId);
}

/** Puts the ids of a response where the links of the document say. */
function followLinks({ responses }, { status, body }) {
  for (const { operationId, parameters, requestBody } of Object.values(
    responses[status]?.links ?? {},
  )) {
    const target = operations.get(operationId);
    for (const [name, expression] of Object.entries(parameters ?? {})) {
      const value = valueOf(expression, body);
      if (value !== undefined) setParameter(target, name, value);
    }
    for (const [name, expression] of Object.entries(requestBody ?? {})) {
      for (const example of examplesOf(target)) {
        replaceExample(target, example[name], valueOf(expression, body));
      }
    }
  }
}

/** The value of an expression such as `$response.body#/lead/_id`. */
function valueOf(expression, body) {
  const [, pointer] = expression.split('#/');
  return pointer.split('/').reduce((value, key) => value?.[key], body);
}

function renewKey(operation) {
  if (operation.parameters?.some(({ name }) => name === 'idempotency-key')) {
    setParameter(operation, 'idempotency-key', `"${crypto.randomUUID()}"`);
  }
}

/** Gives new values to what an operation takes only once: keys of requests, ids of reservations. */
function renewExamples(operation) {
  renewKey(operation);
  const field = operation.requestBody?.['x-renewed-field'];
  if (field === undefined) return;
  for (const { [field]: example } of examplesOf(operation)) {
    const suffix = crypto.randomUUID().slice(0, 8);
    replaceExample(operation, example, `${example}-${suffix}`);
  }
}

/** In what stands there from now on, and in what stands in its place already. */
function replaceExample(operation, example, current) {
  const known = replacements.get(operation);
  const former = known.get(example);
  known.set(example, current);
  if (former !== undefined) known.set(former, current);
}

function examplesOf({ requestBody }) {
  const { examples } = requestBody.content['application/json'];
  return Object.values(examples).map(({ value }) => value);
}

function setParameter({ place }, name, value) {
  const parameter = ui.specSelectors
    .specJson()
    .getIn(['paths', ...place, 'parameters'])
    .find((one) => one.get('name') === name);
  ui.specActions.changeParamByIdentity(place, parameter, value, false);
}
