// API reference page: readers can run every operation with its example values, from top to bottom.

const reference = await (await fetch('openapi.json')).json();
// Sends requests only to the service that served this page.
reference.servers = [{ url: '/' }];
// The page sends the key in the header, so it needs no field for a key in the query.
delete reference.components.securitySchemes['api-key-query'];

/** Requests replace the example reservation id by the id of the last created reservation. */
const paths = Object.entries(reference.paths);
const [, reservation] = paths.find(([path]) => path.endsWith('/{reservationId}'));
const exampleId = reservation.get.parameters[0].schema.example;
let reservationId = exampleId;

/** Headers of every response; the introduction explains them. */
const commonHeaders = new Set(['x-request-id', 'ratelimit-policy', 'ratelimit']);

globalThis.SwaggerUIBundle({
  spec: reference,
  domNode: document.querySelector('#reference'),
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  persistAuthorization: true,
  // Highlighting the response of an export would take minutes.
  syntaxHighlight: { activated: false },
  requestInterceptor: (request) => {
    request.url = request.url.replace(exampleId, reservationId);
    request.body = request.body?.replaceAll(exampleId, reservationId);
    return request;
  },
  responseInterceptor: (response) => {
    reservationId = response.body?.reservation?._id ?? reservationId;
    return response;
  },
  plugins: [
    () => ({
      fn: { resolveSubtree: withoutReferences },
      wrapComponents: { headers: withoutCommonHeaders },
    }),
  ],
});

/**
 * Returns a part of the document with every `$ref` resolved. The library's resolver takes seconds per
 * operation; this document has no external or circular references.
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

/** Header tables omit common headers. Errors have no table, because their text already lists the codes. */
function withoutCommonHeaders(Headers, { React }) {
  return ({ headers, ...others }) => {
    if (headers?.has('x-error-code')) return null;
    const particular = headers?.filter((_, name) => !commonHeaders.has(name));
    return React.createElement(Headers, { ...others, headers: particular });
  };
}
