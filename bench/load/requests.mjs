import { apiKeyOf } from '../data/names.mjs';

export const prefix = '/external/apis/v1.0';

/** The bytes of a GET of the large organization, or of none. */
export function getRequest(path, headers = {}) {
  return Buffer.from(head('GET', path, { 'api-key': apiKeyOf(0), ...headers }));
}

/** The bytes of a POST of an organization. */
export function postRequest(path, body, organization = 0) {
  const text = JSON.stringify(body);
  const headers = {
    'api-key': apiKeyOf(organization),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  return Buffer.from(head('POST', path, headers) + text);
}

function head(method, path, headers) {
  const lines = Object.entries({ host: 'bench.example.com', ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${method} ${prefix}${path} HTTP/1.1\r\n${text}\r\n`;
}
