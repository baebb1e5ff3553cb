import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentedOperations, type Operation, type Position } from '../support/operations.js';
import { isFull } from '../support/rounds.js';
import { startTestService, type TestService } from '../support/test-service.js';
import {
  hostileHeaders,
  hostileParameters,
  hostileQueries,
  hostileTexts,
  hostileValues,
  type Payload,
} from './payloads.js';
import { type ReceivedResponse, createSender, type SentRequest } from './requests.js';
import {
  addTenantData,
  requestWith,
  recordsPerKind,
  snapshot,
  type TenantData,
  waitForPhones,
} from './tenant-data.js';

/** The short run sends only every eleventh value at each position. */
const stride = isFull ? 1 : 11;

let service: TestService;
let tenant: TenantData;
let sender: ReturnType<typeof createSender>;

beforeAll(async () => {
  service = await startTestService({ DATABASE_DEADLINE_MS: '30000' });
  tenant = await addTenantData(service.db, recordsPerKind);
  sender = createSender(service.url);
  await waitForPhones(service.db, tenant);
});
afterAll(async () => {
  await sender.close();
  await service.stop();
});

const operations = documentedOperations();
let turn = 0;

interface Attack {
  readonly operation: Operation;
  readonly name: string;
  readonly request: SentRequest;
  /** The position in the body, with the value if it is JSON. */
  readonly inBody?: { readonly steps: readonly string[]; readonly value: unknown };
}

/** Returns the hostile values for a position, encoded as the position needs them. */
function payloadsAt({ place, steps: [parameter = ''] }: Position): readonly Payload[] {
  const encoded = {
    path: hostileParameters,
    query: [
      ...hostileParameters.map((value) => `${parameter}=${value}`),
      ...hostileQueries.map((value) => parameter + value.replace('{name}', parameter)),
    ],
    header: hostileHeaders,
    body: [],
  };
  if (place === 'body') return hostileValues;
  return encoded[place].map((text) => ({ name: text.slice(0, 40), json: text }));
}

function attacksAt(operation: Operation, position: Position): Attack[] {
  const { place, steps } = position;
  return payloadsAt(position).map(({ name, json }) => {
    const request = requestWith(tenant, operation, position, json, turn++);
    // A response shows a translation only in its language.
    const language = steps.at(-1) === 'ar-eg' ? { language: 'ar-eg' } : {};
    return {
      operation,
      name: `${operation.name} ${place} ${steps.join('.')}: ${name}`,
      request: { ...request, headers: { ...request.headers, ...language } },
      ...(place === 'body' && { inBody: { steps, value: parsed(String(json)) } }),
    };
  });
}

/** The short run selects different values at adjacent positions. */
function allAttacks(): Attack[] {
  const key: Position = { place: 'header', steps: ['api-key'] };
  return operations.flatMap((operation) =>
    [...operation.positions, key].flatMap((position, place) =>
      attacksAt(operation, position).filter((_, index) => (index + place) % stride === 0),
    ),
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Returns how a response violates the documentation, or null. */
function violationOf(
  { operation, name, inBody }: Attack,
  { status, headers, text }: ReceivedResponse,
): string | null {
  const report = (problem: string) => `${name}: ${status} ${problem} ${text.slice(0, 200)}`;
  if (status >= 500) return report('is a failure');
  if (!operation.statuses.includes(status) && !isRoutingRefusal(status))
    return report('is not documented');
  if (headers['x-injected'] !== undefined) return report('has a header that was sent in a value');
  if (status >= 400) {
    const body = parsed(text) as Readonly<Record<string, unknown>> | undefined;
    const keys = Object.keys(body ?? {}).toSorted((a, b) => a.localeCompare(b));
    const isShort = status === 401 && operation.name.endsWith('/webhook');
    const expected = isShort ? 'message,statusCode' : 'error,message,statusCode';
    if (keys.join() !== expected || body?.['statusCode'] !== status)
      return report('has another shape');
    return typeof headers['x-error-code'] === 'string' ? null : report('has no code');
  }
  if (inBody === undefined || text === '' || isTrivial(inBody.value)) return null;
  // A reconciliation stores nothing and shows only differences.
  if (operation.name === 'POST /reservations/reconciliation') return null;
  // A batch reports the errors of its leads in the body.
  if (operation.name === 'POST /leads/batch' && text.startsWith('{"ok":false')) return null;
  const path = inBody.steps.map((step) => (step === '[]' ? '0' : step)).join('.');
  const place = path.replaceAll(/[^\x21-\x7e]|,/g, '?');
  const ignored = String(headers['x-ignored-fields'] ?? '').split(', ');
  if (ignored.some((field) => field === place || field.startsWith(`${place}.`))) return null;
  return contains(parsed(text), inBody.value) ? null : report('does not show what was stored');
}

/** The router returns these statuses for paths that it cannot read, or that lead to another endpoint. */
function isRoutingRefusal(status: number): boolean {
  return [400, 404, 405, 414, 431].includes(status);
}

function isTrivial(value: unknown): boolean {
  if (typeof value === 'string') return value === '';
  if (typeof value === 'number') return value === 0 || !Number.isSafeInteger(value);
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}

function contains(whole: unknown, part: unknown): boolean {
  if (isDeepStrictEqual(whole, part)) return true;
  if (typeof whole !== 'object' || whole === null) return false;
  // The service merges a sent object into the stored one.
  if (typeof part === 'object' && isDeepStrictEqual({ ...whole, ...part }, whole)) return true;
  return Object.values(whole).some((inner) => contains(inner, part));
}

/** Returns names in the prototypes of the service, which runs in another realm than Jest. */
function prototypeNames(): (string | symbol)[][] {
  const lines: object = workerLog.lines;
  const arrays = Object.getPrototypeOf(lines) as object;
  const objects = Object.getPrototypeOf(arrays) as object;
  const functions = Object.getPrototypeOf(setTimeout) as object;
  return [arrays, objects, functions].map((prototype) => Reflect.ownKeys(prototype));
}

describe('a hostile value at any position of any request', () => {
  it('is refused as documented without a write, or stored unchanged', async () => {
    const attacks = allAttacks();
    const prototypes = prototypeNames();
    const responses = await Promise.all(attacks.map(({ request }) => sender.send(request)));
    const violations = attacks.flatMap(
      (attack, index) => violationOf(attack, responses[index] as ReceivedResponse) ?? [],
    );
    expect(violations).toEqual([]);
    expect(prototypeNames()).toEqual(prototypes);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();

    const refused = attacks.filter(
      ({ request }, index) => request.method !== 'GET' && (responses[index]?.status ?? 0) >= 400,
    );
    const before = await snapshot(service.db, tenant.organizationId);
    const repeated = await Promise.all(refused.map(({ request }) => sender.send(request)));
    expect(repeated.filter(({ status }) => status < 400)).toEqual([]);
    expect(await snapshot(service.db, tenant.organizationId)).toEqual(before);

    const health = { method: 'GET', path: '/healthz', headers: {} };
    expect((await sender.send(health)).status).toBe(200);
    const attacked = new Set(attacks.map(({ operation }) => operation.name));
    expect([...attacked].toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  });

  it('is stored unchanged in a lead', async () => {
    const data = Object.fromEntries(hostileTexts.map((text, index) => [`${index} ${text}`, text]));
    const sent: SentRequest = {
      method: 'POST',
      path: '/leads',
      headers: { 'api-key': tenant.key, 'content-type': 'application/json' },
      body: JSON.stringify({ recordSystemId: 'verbatim', data, additionalData: data }),
    };
    expect((await sender.send(sent)).status).toBe(201);
    const { text } = await sender.send({
      ...sent,
      method: 'GET',
      path: '/leads/verbatim',
      body: '',
    });
    expect(parsed(text)).toMatchObject({ lead: { data, additionalData: data } });
    const stored = await service.db
      .collection('leads')
      .findOne({ organizationId: tenant.organizationId, recordSystemId: 'verbatim' });
    expect(stored).toMatchObject({ data, additionalData: data });
  });
});
