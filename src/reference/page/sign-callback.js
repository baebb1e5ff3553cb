// Signs a callback as Standard Webhooks describes: HMAC-SHA256 of `id.timestamp.body`.

const form = document.querySelector('#callback');
const idField = document.querySelector('#id');
const problem = document.querySelector('#problem');
// A proxy may serve the service below a path.
const url = new URL('../external/apis/v1.0/reservations/webhook', location).href;

// Another body is another message; a retry of the same body keeps its id.
renewId();
document.querySelector('#body').addEventListener('input', renewId);

function renewId() {
  idField.value = crypto.randomUUID?.() ?? `callback-${Date.now()}`;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  problem.textContent = '';
  for (const id of ['signed', 'sent']) document.querySelector(`#${id}`).hidden = true;
  void signAndSend(event.submitter?.name === 'send');
});

async function signAndSend(isSent) {
  try {
    const { key, secret, id, body } = Object.fromEntries(new FormData(form));
    const headers = {
      'api-key': key,
      'content-type': 'application/json',
      ...(await signatureHeaders(secret, id, body)),
    };
    show('curl', curlLine(headers, body));
    if (isSent) await send(headers, body);
  } catch (error) {
    problem.textContent = `The callback could not be signed or sent: ${error.message}`;
  }
}

async function signatureHeaders(secret, id, body) {
  if (globalThis.crypto.subtle === undefined) {
    throw new Error('browsers sign only on pages with https, or on this computer (localhost)');
  }
  const timestamp = String(Math.floor(Date.now() / 1000));
  const bytes = secretBytes(secret);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  };
}

function secretBytes(secret) {
  try {
    const decoded = atob(secret.trim().replace(/^whsec_/, ''));
    return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  } catch {
    throw new Error('the secret is not complete: after whsec_ it is not valid base64');
  }
}

function quote(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function curlLine(headers, body) {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  return [`curl -i ${quote(url)}`, ...lines, `-d ${quote(body)}`].join(' \\\n  ');
}

async function send(headers, body) {
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  const names = [
    'x-error-code',
    'x-callback-reservation',
    'x-callback-cheque',
    'idempotent-replayed',
    'x-ignored-fields',
    'x-request-id',
  ];
  const found = names.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : `${name}: ${value}`;
  });
  show('response', [`${response.status} ${response.statusText}`, ...found, '', text].join('\n'));
}

function show(id, text) {
  const code = document.querySelector(`#${id}`);
  code.textContent = text;
  code.closest('div').hidden = false;
}
