import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { allErrors } from '../../src/reference/errors.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();

interface Document {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const get = async (path: string, accept = 'text/html'): Promise<Document> => {
  const response = await fetch(new URL(path, `${service.url}/docs/`), { headers: { accept } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const requestFor = async (path: string, host: string) => {
  const { headers, text } = await request(service.url)
    .get(`/docs/${path}`)
    .set('host', host)
    .buffer();
  return { headers: headers as Record<string, string>, text };
};

/** Anchors of operations on the page of the reference. */
function operationAnchors(): Set<string> {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  const operations = Object.values(paths).flatMap(
    Object.values<{ operationId: string; tags: string[] }>,
  );
  return new Set(
    operations.map(
      ({ operationId, tags: [tag = ''] }) => `tag/${tag.toLowerCase()}/${operationId}`,
    ),
  );
}

const decoded = (html: string) => html.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
const linksIn = (html: string) =>
  [...html.matchAll(/\b(?:href|src|action)="([^"]*)"/g)].map(([, link = '']) => decoded(link));
const idsIn = (html: string) => new Set([...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id));
const resultsOf = async (path: string) => {
  const { text } = await get(path);
  const [, list = ''] = /<ol class="results">(.*?)<\/ol>/s.exec(text) ?? [];
  return linksIn(list);
};

/** Reads every page that links lead to, starting at the reference, without other servers. */
async function crawl(): Promise<Map<string, Document>> {
  const base = `${service.url}/docs/`;
  const found = new Map<string, Document>();
  const open = [base, `${base}llms.txt`];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (found.has(url)) continue;
    const page = await get(url);
    found.set(url, page);
    if (page.headers.get('content-type')?.startsWith('text/html') !== true) continue;
    for (const link of linksIn(page.text)) {
      const target = new URL(link, url);
      target.hash = '';
      if (target.href.startsWith(base)) open.push(target.href);
    }
  }
  return found;
}

describe('the pages below /docs', () => {
  it('have links that all lead to an existing page and anchor', async () => {
    const pages = await crawl();
    const operations = operationAnchors();
    const broken: string[] = [];
    for (const [url, page] of pages) {
      if (page.status !== 200) broken.push(`${url}: ${page.status}`);
      for (const link of linksIn(page.text)) {
        const target = new URL(link, url);
        const anchor = decodeURIComponent(target.hash.slice(1));
        target.hash = '';
        const text = pages.get(target.href)?.text;
        if (anchor === '' || text === undefined) continue;
        const isOperation = target.href === `${service.url}/docs/`;
        const exists = isOperation ? operations.has(anchor) : idsIn(text).has(anchor);
        if (!exists) broken.push(`${url}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
    expect(pages.size).toBeGreaterThan(100);
  });

  it.each([
    ['guides/website', 'en', 'Send leads from a website'],
    ['guides/website.ar', 'ar', 'موقع إلكتروني يرسل بيانات زوّاره المهتمين'],
    ['guides/cheque-collector', 'en', undefined],
    ['guides/cheque-collector.ar', 'ar', undefined],
    ['guides/crm', 'en', undefined],
    ['guides/crm.ar', 'ar', undefined],
    ['guides/webhooks', 'en', undefined],
    ['guides/webhooks.ar', 'ar', undefined],
    ['rules', 'en', 'Rules'],
    ['typescript', 'en', 'Client for TypeScript and JavaScript'],
  ])('include %s, also as Markdown', async (path, language, title = '') => {
    const page = await get(path);
    const direction = language === 'ar' ? 'rtl' : 'ltr';
    expect(page.text).toContain(`<html lang="${language}" dir="${direction}">`);
    expect(page.text).toContain(`>${title}`);
    const markdown = await get(`${path}.md`);
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(markdown.text).toMatch(new RegExp(`^# ${title}`, 'm'));
  });

  it('show the URL of the service in place of the example', async () => {
    for (const path of ['guides/website', 'guides/website.md', 'llms.txt']) {
      const { text, headers } = await requestFor(path, 'api.partner.example');
      expect(text).toContain('http://api.partner.example');
      expect(text).not.toMatch(/api\.example\.com|\$API_URL/);
      expect(headers['vary']).toContain('host');
    }
    const { text } = await requestFor('guides/website', 'a"b');
    expect(text).toContain('$API_URL');
  });

  it.each([
    ['rules', './', 'llms.txt'],
    ['rules', './', 'errors'],
    ['guides/cheque-collector', '../', 'sign-callback'],
    ['guides/cheque-collector.ar', '../', 'sign-callback'],
  ])('link %s to %s%s where the text names it', async (path, root, target) => {
    const { text } = await get(path);
    expect(text).toContain(`<a href="${root}${target}"><code>/docs/${target}</code></a>`);
  });

  it('contain the programs of the guides as text', async () => {
    const form = await get('guides/programs/form.html');
    expect(form.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(form.text).toContain('<form');
    expect((await get('guides/website')).text).toContain('node website.mjs');
  });

  it.each(['errors/no.such_code', 'guides/operator', 'guides/programs/..%2Foperator.md', 'x'])(
    'return 404 for %s, as a page if the client accepts HTML',
    async (path) => {
      const page = await get(path);
      expect([page.status, page.headers.get('x-error-code')]).toEqual([404, 'route.not_found']);
      expect(page.text).toContain('<h1>There is no such page</h1>');
      const json = await get(path, 'application/json');
      const message = 'No endpoint has this path: see the API reference';
      expect(JSON.parse(json.text)).toMatchObject({ statusCode: 404, message });
      expect(json.headers.get('x-error-code')).toBe('route.not_found');
      for (const { headers } of [page, json]) {
        expect(headers.get('vary')).toBe('accept, language, accept-encoding');
      }
    },
  );

  it('return a short 404 for a path of thousands of levels', async () => {
    const { status, text, headers } = await get('a/'.repeat(6_000));
    expect([status, headers.get('x-error-code')]).toEqual([404, 'route.not_found']);
    expect(text.length).toBeLessThan(1_000);
  });

  it('escape what a reader searches for', async () => {
    const { text } = await get(`search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(text).not.toContain('<script>alert');
    expect((await get('search?q=a&q=b')).status).toBe(200);
  });
});

const onlyOfCallback = new Set([
  'key.signature_missing',
  'key.signature_expired',
  'key.signature_mismatch',
  'cheque.not_found',
  'reservation.not_pending_cheque_collection',
  'unit.already_reserved',
]);

describe('/docs/errors', () => {
  it.each(allErrors.map((error) => [error.code, error] as const))(
    'explains %s',
    async (code, { status, cause, remedy }) => {
      const { text } = await get(`errors/${code}.md`);
      expect(text).toContain(`# ${code}\n`);
      expect(text).toContain(`${cause}.`);
      expect(text).toContain(`${remedy}.`);
      // The callback, whose messages are always in English, alone returns some codes.
      const isArabic = text.includes('language: ar-eg');
      const samples = text.match(/"statusCode": \d+/g);
      expect(samples).toEqual(Array(isArabic ? 2 : 1).fill(`"statusCode": ${status}`));
      expect(isArabic).toBe(!onlyOfCallback.has(code));
      expect((await get('errors')).text).toContain(`href="errors/${code}"`);
    },
  );

  it('names the operations that return the code', async () => {
    const { text } = await get('errors/lead.duplicate_phone.md');
    const [, operations = ''] = text.split('## Operations');
    expect(operations).toContain('`POST /external/apis/v1.0/leads`');
    expect(operations).not.toContain('/units');
  });

  it('explains the code that a response has', async () => {
    const { headers } = await service.api('get', '/leads/1');
    expect((await get(`errors/${headers['x-error-code']}`)).status).toBe(200);
  });
});

describe('/docs/search', () => {
  it.each([
    ['search?q=duplicate+phone', 'errors/lead.duplicate_phone'],
    ['search?q=LEAD-7', 'rules#lead-7'],
    ['search?q=export+units', './#tag/units/exportUnits'],
    ['search?q=signature+expired', 'errors/key.signature_expired'],
    ['search?q=retry', 'guides/'],
    ['search?q=sign', 'sign-callback'],
    ['search?q=wrong+signature', 'sign-callback'],
    ['search.ar?q=شيكات', 'guides/cheque-collector.ar'],
    // Without hamza and with another article.
    ['search.ar?q=الاحداث', 'guides/crm.ar'],
  ])('%s finds %s among the first five', async (query, target) => {
    const found = await resultsOf(encodeURI(query));
    expect(found.slice(0, 5).join(' ')).toContain(target);
  });

  it('reads only the first eight terms', async () => {
    const eight = 'search?q=the+lead+phone+key+page+unit+price+state';
    const found = await resultsOf(eight);
    expect(found.length).toBeGreaterThan(0);
    expect(await resultsOf(`${eight}+zzzzqqqq+collected`)).toEqual(found);
  });

  it('completes a word from its third letter on', async () => {
    expect(await resultsOf('search?q=du')).toEqual([]);
    expect(await resultsOf('search?q=dup')).toContain('errors/lead.duplicate_phone');
  });

  it('finds sections with some of the words if none has all', async () => {
    expect(await resultsOf('search?q=zzzzqqqq+duplicate+phone')).toContain(
      'errors/lead.duplicate_phone',
    );
  });

  it('finds nothing for other words, and says so', async () => {
    const { text } = await get('search?q=zzzzqqqq');
    expect(text).toContain('Nothing was found');
  });
});

describe('/docs/scalar.js', () => {
  it.each(['br', 'gzip'])('is sent in its stored %s form', async (encoding) => {
    const read = async (accepted: string) => {
      const headers = { 'accept-encoding': accepted };
      const response = await fetch(`${service.url}/docs/scalar.js`, { headers });
      return { headers: response.headers, text: await response.text() };
    };
    const compressed = await read(encoding);
    expect(compressed.headers.get('content-encoding')).toBe(encoding);
    // A response that is compressed while it is sent has no length.
    expect(Number(compressed.headers.get('content-length'))).toBeGreaterThan(500_000);
    expect(compressed.text === (await read('identity')).text).toBe(true);
  });
});

describe('/docs/llms.txt', () => {
  it('lists the Markdown of every page', async () => {
    const { text } = await get('llms.txt');
    expect(text).toMatch(/^# Integration API\n\n> /);
    const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(60);
    for (const link of links) {
      const { status, headers } = await get(link);
      expect([link, status]).toEqual([link, 200]);
      expect(headers.get('content-type')).toMatch(/^(text\/markdown|application\/json)/);
    }
  });
});

describe('a CORS preflight', () => {
  it('names the guide for websites', async () => {
    const response = await fetch(`${service.url}/external/apis/v1.0/leads`, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST', origin: 'https://shop.example' },
    });
    expect(await response.text()).toContain('/docs/guides/website');
  });
});
