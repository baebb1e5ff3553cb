import { apiKeyOf } from '../data/names.mjs';

export const prefix = '/external/apis/v1.0';

/** A GET of the large organization. */
export function getRequest(path, headers = {}) {
  return {
    method: 'GET',
    path: prefix + path,
    headers: { 'api-key': apiKeyOf(0), ...headers },
  };
}

/** A POST of an organization. */
export function postRequest(path, body, organization = 0) {
  return {
    method: 'POST',
    path: prefix + path,
    headers: { 'api-key': apiKeyOf(organization), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
