import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiReference } from '../../src/reference/api-reference.js';
import {
  configurationReference,
  environmentExample,
} from '../../src/reference/configuration-reference.js';
import { errorLists, fillErrorTables } from '../../src/reference/error-tables.js';
import { ErrorResponses } from '../../src/core/http/errors/error-responses.js';
import { addressOf } from '../support/shared-service.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
const responses = () => service.service.app.get(ErrorResponses);

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('`npm run generate`', () => {
  const reference = () =>
    `${JSON.stringify(apiReference(service.service.app, responses()), null, 2)}\n`;
  it.each([
    ['.env.example', environmentExample],
    ['docs/configuration.md', configurationReference],
    ['docs/openapi.json', reference],
  ])('has written the current %s', (file, generate) => {
    expect(readFileSync(file, 'utf8')).toBe(generate());
  });

  it('has written docs/openapi.json as the service returns it', async () => {
    const response = await fetch(`${await addressOf('shared')}/docs/openapi.json`);
    expect(await response.json()).toEqual(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
  });

  it('has written the current errors in docs/rules.md', () => {
    const text = readFileSync('docs/rules.md', 'utf8');
    const named = [...text.matchAll(/<!-- errors: ([ \w]+) -->/g)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(named.toSorted()).toEqual(Object.keys(errorLists).toSorted());
    expect(fillErrorTables(text, errorLists, responses())).toBe(text);
  });
});
