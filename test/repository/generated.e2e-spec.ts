import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiReference } from '../../src/reference/api-reference.js';
import {
  configurationReference,
  environmentExample,
} from '../../src/reference/configuration-reference.js';
import { ErrorResponses } from '../../src/core/errors/error-responses.js';
import { addressOf } from '../support/shared-service.js';
import { startTestService, type TestService } from '../support/test-service.js';

interface Document {
  readonly servers: readonly { readonly url: string }[];
}

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('`npm run generate`', () => {
  const reference = () => {
    const { app } = service.service;
    return `${JSON.stringify(apiReference(app, app.get(ErrorResponses)), null, 2)}\n`;
  };
  it.each([
    ['.env.example', environmentExample],
    ['docs/configuration.md', configurationReference],
    ['docs/openapi.json', reference],
  ])('has written the current %s', (file, generate) => {
    expect(readFileSync(file, 'utf8')).toBe(generate());
  });

  it('has written docs/openapi.json as the service returns it', async () => {
    const url = await addressOf('shared');
    const served = (await (await fetch(`${url}/docs/openapi.json`)).json()) as Document;
    const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
    const [{ url: servedUrl } = {}] = served.servers;
    expect(servedUrl).toBe(url);
    const [own, ...others] = written.servers;
    expect(served).toEqual({ ...written, servers: [{ ...own, url }, ...others] });
  });
});
