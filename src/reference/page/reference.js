// API reference page: readers can run every operation with its example values, from top to bottom.

const reference = await (await fetch('openapi.json')).json();
// Sends requests only to the service that served this page, which a proxy may serve below a path.
reference.servers = [{ url: new URL('..', location).href.replace(/\/$/, '') }];
// The page sends the key in the header, so it needs no field for a key in the query.
delete reference.components.securitySchemes['api-key-query'];
for (const item of Object.values(reference.paths)) {
  for (const { security } of Object.values(item)) {
    const others = security?.filter((scheme) => !('api-key-query' in scheme)) ?? [];
    security?.splice(0, Infinity, ...others);
  }
}

/** Requests replace the example reservation id by the id of the last created reservation. */
const paths = Object.entries(reference.paths);
const [, reservation] = paths.find(([path]) => path.endsWith('/{reservationId}'));
const exampleId = reservation.get.parameters[0].schema.example;
let reservationId = exampleId;

async function fetchWithId(input, init) {
  const request = new Request(input, init);
  const url = request.url.replace(exampleId, reservationId);
  const body = request.body === null ? undefined : await request.text();
  const response = await fetch(url, {
    method: request.method,
    headers: request.headers,
    body: body?.replaceAll(exampleId, reservationId),
    signal: request.signal,
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (isJson && request.method === 'POST') {
    const created = await response.clone().json();
    reservationId = created.reservation?._id ?? reservationId;
  }
  return response;
}

globalThis.Scalar.createApiReference('#reference', {
  content: reference,
  customFetch: fetchWithId,
  authentication: { preferredSecurityScheme: 'api-key' },
  persistAuth: true,
  featuredClients: ['shell/curl', 'php/curl', 'node/fetch', 'python/python3'],
  generateOperationSlug: ({ operationId }) => operationId,
  hideModels: true,
  documentDownloadType: 'none',
  // None of these may load or offer anything from other servers.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
});

/** Attributes that Scalar 1.76 sets wrongly or leaves out; `axe` names each of them without these lines. */
const repairs = [
  // Fields for values declare a list of suggestions without saying whether it is open.
  [
    '[role="combobox"]:not([aria-expanded])',
    (field) => field.setAttribute('aria-expanded', 'false'),
  ],
  ['button[role="none"]', (button) => button.removeAttribute('role')],
  ['.cm-content:not([aria-label])', (editor) => editor.setAttribute('aria-label', 'JSON')],
  ['.cm-scroller[tabindex="-1"]', (scroller) => scroller.setAttribute('tabindex', '0')],
  [
    'section[aria-label^="Notifications"] ~ section, .scalar-client section[aria-label^="Notifications"]',
    (section) => section.setAttribute('aria-label', 'Notifications of the client'),
  ],
  // The example of a key is a joke in base64.
  ['input[placeholder^="QUxM"]', (field) => field.setAttribute('placeholder', 'iapi_…')],
];

function repair() {
  for (const [selector, repairOne] of repairs) {
    document.querySelectorAll(selector).forEach(repairOne);
  }
  // The dialog for requests covers the page.
  const isCovered = document.querySelector('.scalar-client--open') !== null;
  document.querySelector('.references-rendered')?.toggleAttribute('inert', isCovered);
  isScheduled = false;
}

let isScheduled = false;
new MutationObserver(() => {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(repair);
}).observe(document.body, {
  childList: true,
  subtree: true,
  attributes: true,
  attributeFilter: ['class'],
});
