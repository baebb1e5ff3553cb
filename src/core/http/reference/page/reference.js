// The page of the reference, on which every operation works with its examples, in the order of the page.

const reference = await (await fetch('openapi.json')).json();
// The page calls the service that it was read from, and no other.
reference.servers = reference.servers.slice(0, 1);

/** In requests, the reservation of the examples is the one that was created last. */
const paths = Object.entries(reference.paths);
const [, reservation] = paths.find(([path]) => path.endsWith('/{reservationId}'));
const exampleId = reservation.get.parameters[0].schema.example;
let reservationId = exampleId;

/** Headers that every response has, which the introduction explains. */
const commonHeaders = new Set(['x-request-id', 'ratelimit-policy', 'ratelimit']);

globalThis.SwaggerUIBundle({
  spec: reference,
  domNode: document.querySelector('#reference'),
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  persistAuthorization: true,
  // Colors would take minutes for an export.
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
