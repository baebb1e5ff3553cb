import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { collectionOf, type CollectionRequest } from '../../scripts/collection-requests.mjs';
import { mayReadEvents, type Tenant } from '../support/builders.js';
import { addDemoTenant } from '../support/demo-tenant.js';
import { sharedService } from '../support/shared-service.js';

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as object;
const { requests, variables: examples } = collectionOf(document);

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addDemoTenant(service.db, service.databaseUri, { key: mayReadEvents });
});

/** Does with a request what Bruno does; gives the status and whether it is what the request says. */
async function send(request: CollectionRequest, variables: Map<string, string>) {
  const filled = (text: string): string =>
    text.replaceAll(/\{\{(.+?)\}\}/g, (_, name: string) =>
      name === '$guid' ? randomUUID() : (variables.get(name) ?? `no ${name}`),
    );
  const path = request.params

    .filter(({ type }) => type === 'path')
    .reduce(
      (url, { name, value }) => url.replace(`:${name}`, encodeURIComponent(filled(value))),
      filled(request.http.url),
    );
  const headers = new Headers();
  for (const { name, value, enabled } of request.headers) {
    if (enabled) headers.set(name, filled(value));
  }
  if (request.http.auth === 'inherit') headers.set('api-key', tenant.key);
  if (request.body !== undefined) headers.set('content-type', 'application/json');
  const body = request.body === undefined ? null : filled(request.body.json);
  const response = await fetch(path, { method: request.http.method.toUpperCase(), headers, body });
  const text = await response.text();
  for (const { name, value } of request.vars.res) {
    const steps = value.split('.').slice(2);
    const found = steps.reduce<unknown>(
      (inner, step) => (inner as Record<string, unknown> | undefined)?.[step],
      JSON.parse(text),
    );
    variables.set(name, String(found));
  }
  const [, expected = ''] = request.assertions[0]?.value.split(/^(?:eq|in) /) ?? [];
  const isExpected = expected.split(', ').includes(String(response.status));
  return isExpected ? 'as it says' : `${response.status} ${text}`;
}

describe('the collection for Bruno', () => {
  it('works from its first request to its last against the demo catalogue, twice', async () => {
    const variables = new Map(examples).set('baseUrl', service.url);
    const asItSays = requests.map(({ path }) => `${path}: as it says`);
    for (const _ of ['first', 'second']) {
      const outcomes: string[] = [];
      for (const { path, request } of requests) {
        outcomes.push(`${path}: ${await send(request, variables)}`);
      }
      expect(outcomes).toEqual(asItSays);
    }
    expect(requests.length).toBeGreaterThan(0);
  });
});
