import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/shared-service.js';
import { startTestService, type TestService } from '../support/test-service.js';

interface Schema {
  readonly anyOf?: readonly object[];
}

interface Document {
  readonly servers?: readonly { readonly url: string }[];
  /** Of the Postman collection. */
  readonly variable?: readonly { readonly key: string; readonly value: string }[];
  readonly webhooks?: object;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security?: readonly object[] }>>>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const direct = sharedService();
let behindProxy: TestService;

beforeAll(async () => {
  behindProxy = await startTestService({ TRUST_PROXY: '1' });
});
afterAll(() => behindProxy.stop());

const names = ['openapi.json', 'openapi-client.json', 'collection.json'];

const read = async (url: string, name: string, ...headers: string[]) => {
  const response = await sendRaw(url, `GET /docs/${name} HTTP/1.1`, headers);
  return { ...response, document: response.body as Document };
};
const urlIn = async (url: string, name: string, ...headers: string[]) => {
  const { document } = await read(url, name, ...headers);
  const { servers: [server] = [], variable = [] } = document;
  return server?.url ?? variable.find(({ key }) => key === 'baseUrl')?.value;
};

describe.each(names)('/docs/%s', (name) => {
  it.each([
    ['api.example.com', 'http://api.example.com'],
    ['API.example.com:8443', 'http://API.example.com:8443'],
    ['[2001:db8::7]:3000', 'http://[2001:db8::7]:3000'],
  ])('names its own URL when the host is %s', async (host, url) => {
    expect(await urlIn(direct.url, name, `Host: ${host}`)).toBe(url);
  });

  it('takes host and scheme from a trusted proxy only', async () => {
    const sent = [
      'Host: internal',
      'X-Forwarded-Host: api.example.com',
      'X-Forwarded-Proto: https',
    ];
    expect(await urlIn(behindProxy.url, name, ...sent)).toBe('https://api.example.com');
    expect(await urlIn(direct.url, name, ...sent)).toBe('http://internal');
  });

  it.each([
    'a"b',
    '</script>',
    'user@evil.example',
    'evil.example/x',
    'a b',
    'é.example',
    '$&',
    '',
  ])('does not repeat the implausible host %j', async (host) => {
    expect(await urlIn(direct.url, name, `Host: ${host}`)).toBe('/');
    const forwarded = ['Host: internal', `X-Forwarded-Host: ${host || '"'}`];
    expect(await urlIn(behindProxy.url, name, ...forwarded)).toBe('/');
  });

  it('does not repeat an implausible scheme', async () => {
    const sent = ['Host: internal', 'X-Forwarded-Proto: javascript'];
    expect(await urlIn(behindProxy.url, name, ...sent)).toBe('/');
  });

  it('varies by what its URL comes from, so that no cache returns the URL of another client', async () => {
    const one = await read(direct.url, name, 'Host: a.example');
    const other = await read(direct.url, name, 'Host: b.example');
    expect(one.headers['etag']).not.toBe(other.headers['etag']);
    expect(one.headers).toMatchObject({
      'cache-control': 'no-cache',
      vary: 'accept-encoding, host, x-forwarded-host, x-forwarded-proto',
    });
  });
});

describe('/docs/openapi-client.json', () => {
  it('has the operations of /docs/openapi.json without what generators cannot express', async () => {
    const [{ document: full }, { document: client }] = await Promise.all([
      read(direct.url, 'openapi.json', 'Host: x'),
      read(direct.url, 'openapi-client.json', 'Host: x'),
    ]);
    expect(full).toHaveProperty('webhooks');
    expect(client).not.toHaveProperty('webhooks');
    expect(Object.keys(full.components.securitySchemes)).toEqual(['api-key', 'api-key-query']);
    expect(Object.keys(client.components.securitySchemes)).toEqual(['api-key']);
    const operationsOf = ({ paths }: Document) =>
      Object.entries(paths).map(([path, item]) => [path, Object.keys(item)]);
    expect(operationsOf(client)).toEqual(operationsOf(full));
    const security = Object.values(client.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => operation.security ?? []),
    );
    expect([...new Set(security.map((scheme) => JSON.stringify(scheme)))]).toEqual([
      '{"api-key":[]}',
    ]);
    expect(full.components.schemas['UpsertUnitDto']).toHaveProperty('anyOf');
    expect(client.components.schemas['UpsertUnitDto']).not.toHaveProperty('anyOf');
  });
});
