import { describe, expect, it } from '@jest/globals';
import { breakingChanges } from '../../scripts/breaking-changes.mjs';

const text = { type: 'string' };

/** A document with one operation; each test changes a copy. */
function released() {
  return {
    openapi: '3.1.0',
    info: { title: 'Leads', version: '1' },
    paths: {
      '/leads': {
        post: {
          operationId: 'upsertLead',
          parameters: [{ name: 'language', in: 'header', required: false, schema: text }],
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Sent' } } },
          },
          responses: {
            200: {
              description: 'The lead.',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Lead' } } },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        Sent: { type: 'object', required: ['id'], properties: { id: text, name: text } },
        Lead: { type: 'object', required: ['id'], properties: { id: text, number: text } },
      },
    },
  };
}

type Document = ReturnType<typeof released>;

function found(change: (document: Document) => void): string[] {
  const changed = structuredClone(released());
  change(changed);
  return breakingChanges(released(), changed);
}

const operation = ({ paths }: Document) => paths['/leads'].post;

describe('a change of the reference breaks clients when', () => {
  it.each<[string, (document: Document) => void]>([
    ['an operation goes', ({ paths }) => Reflect.deleteProperty(paths, '/leads')],
    ['an operation is renamed', (document) => (operation(document).operationId = 'postLead')],
    [
      'a field of a response goes',
      ({ components }) => Reflect.deleteProperty(components.schemas.Lead.properties, 'id'),
    ],
    [
      'a field of a response has another type',
      ({ components }) => (components.schemas.Lead.properties.number = { type: 'integer' }),
    ],
    [
      'a field of a response may be missing',
      ({ components }) => (components.schemas.Lead.required = []),
    ],
    [
      'a field of a request has to be sent',
      ({ components }) => components.schemas.Sent.required.push('name'),
    ],
    [
      'a parameter has to be sent',
      (document) =>
        operation(document).parameters.push({
          name: 'site',
          in: 'query',
          required: true,
          schema: text,
        }),
    ],
  ])('%s', (_, change) => {
    expect(found(change)).not.toEqual([]);
  });

  it.each<[string, (document: Document) => void]>([
    ['nothing changes', () => undefined],
    [
      'a response gains a field',
      ({ components: { schemas } }) => {
        Object.assign(schemas.Lead.properties, { email: text });
        schemas.Lead.required.push('email');
      },
    ],
    [
      'a request may have one more field',
      ({ components }) => Object.assign(components.schemas.Sent.properties, { email: text }),
    ],
    ['a text is reworded', (document) => (document.info.title = 'All leads')],
  ])('not when %s', (_, change) => {
    expect(found(change)).toEqual([]);
  });
});
