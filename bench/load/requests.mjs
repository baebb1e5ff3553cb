import { apiKeyOf } from '../data/names.mjs';

export const prefix = '/external/apis/v1.0';

/** Creates a GET of the large organization. */
export function getRequest(path, headers = {}) {
  return {
    method: 'GET',
    path: prefix + path,
    headers: { 'api-key': apiKeyOf(0), ...headers },
  };
}

/** Creates a POST of an organization. */
export function postRequest(path, body, organization = 0) {
  return {
    method: 'POST',
    path: prefix + path,
    headers: { 'api-key': apiKeyOf(organization), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Generates pseudorandom numbers, which are equal in every run (mulberry32). */
export function randomNumbers(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { next, below: (limit) => Math.floor(next() * limit) };
}
