import { isDeepStrictEqual } from 'node:util';
import { apiKeyOf } from '../data/names.mjs';
import { prefix } from '../driving/requests.mjs';

/** Sends one request and gives what is compared of its response. */
export async function answerTo(
  subject,
  { method = 'GET', path, body, headers = {}, organization = 0 },
) {
  const response = await fetch(subject.url + prefix + path, {
    method,
    headers: {
      'api-key': apiKeyOf(organization),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

/** @throws Error that shows both when they differ */
export function assertSame(what, service, reference) {
  if (isDeepStrictEqual(service, reference)) return;
  const [one, other] = [service, reference].map((value) => JSON.stringify(value, null, 1));
  const at = [...one].findIndex((character, index) => character !== other[index]);
  const part = (text) => text.slice(Math.max(0, at - 200), at + 300);
  throw new Error(`${what}: the service gives\n${part(one)}\nand the reference\n${part(other)}`);
}
