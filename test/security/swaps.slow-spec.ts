import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { documentedOperations, type Operation, type Position } from '../support/operations.js';
import { rounds } from '../support/rounds.js';
import type { TenantCommand } from '../support/tenant-commands.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { type ReceivedResponse, createSender, type SentRequest } from './requests.js';
import {
  addTenantData,
  foreignReferences,
  requestWith,
  recordsPerKind,
  snapshot,
  type TenantData,
  waitForPhones,
  unusedId,
} from './tenant-data.js';

/** The number of requests that read, filter or delete by ids of another organization. */
const readingSwaps = rounds(80, 10_000);
/** The number of requests that write with such ids. With more, they would find each other's records. */
const writingSwaps = rounds(60, 120);

let service: TestService;
let own: TenantData;
let other: TenantData;
let sender: ReturnType<typeof createSender>;
const commands: TenantCommand[] = [];

beforeAll(async () => {
  service = await startTestService({ DATABASE_DEADLINE_MS: '30000' });
  [own, other] = await Promise.all([
    addTenantData(service.db, recordsPerKind),
    addTenantData(service.db, 3),
  ]);
  sender = createSender(service.url);
  await waitForPhones(service.db, own, other);
  service.tenantCommands.onCommand((command) => commands.push(command));
});
afterAll(async () => {
  await sender.close();
  await service.stop();
});

const operations = documentedOperations();
/** A lead uses these fields inside a free-form object for lookups. */
const freeFormPositions = ['name', 'phoneNumber', 'email', 'project', 'leadSource'].map(
  (name): Position => ({ place: 'body', steps: ['data', name] }),
);

let turn = 0;

interface Place {
  readonly operation: Operation;
  readonly position: Position;
}

const places = operations.flatMap((operation) =>
  [...operation.positions, ...(operation.name === 'POST /leads' ? freeFormPositions : [])]
    .filter(({ steps: [name] }) => !['language', 'x-request-id', 'api-key'].includes(name ?? ''))
    .map((position): Place => ({ operation, position })),
);
const reading = places.filter(({ operation }) => operation.method !== 'POST');
/** The service refuses a phone of another lead, so responses to the same phone could differ. */
const isPhone = ({ position }: Place) => position.steps.at(-1)?.startsWith('phoneNumber') === true;
const writing = places.filter((place) => place.operation.method === 'POST' && !isPhone(place));

function requestOf({ operation, position }: Place, id: string): SentRequest {
  const encoded = {
    path: encodeURIComponent(id),
    query: `${position.steps[0]}=${encodeURIComponent(id)}`,
    header: id,
    body: JSON.stringify(id),
  };
  return requestWith(own, operation, position, encoded[position.place], turn++);
}

/** Returns everything that distinguishes responses, without the id itself. */
function shown({ status, headers, text }: ReceivedResponse, id: string) {
  const relevantHeaders = Object.entries(headers).filter(
    ([name]) =>
      !['date', 'x-request-id', 'content-length', 'etag', 'x-updated-as-of'].includes(name),
  );
  const quoted = JSON.stringify([relevantHeaders, text]).replaceAll(id, '«id»');
  return { status, quoted: quoted.replaceAll(encodeURIComponent(id), '«id»') };
}

interface Swap extends Place {
  readonly kind: string;
  readonly id: string;
}

/** Returns random swaps at these places, the same ones in each run. */
function someSwaps(from: readonly Place[], count: number): Swap[] {
  const kinds = Object.keys(other.ids);
  const swap = fc
    .tuple(fc.constantFrom(...from), fc.constantFrom(...kinds), fc.nat())
    .map(([place, kind, index]) => {
      const ids = other.ids[kind] ?? [];
      return { ...place, kind, id: ids[index % ids.length] ?? '' };
    });
  const sampled = fc.sample(swap, { numRuns: 2 * count, seed: 20_261_122 });
  return sampled.filter(isFirstUse()).slice(0, count);
}

/** An idempotency key belongs to its first request, and the service refuses another request with it. */
function isFirstUse(): (swap: Swap) => boolean {
  const used = new Set<string>();
  return ({ position, id }) => {
    if (position.place !== 'header') return true;
    const isFirst = !used.has(id);
    used.add(id);
    return isFirst;
  };
}

const controls = new Map<string, Promise<ReturnType<typeof shown>>>();

/** Returns the response to the same request with an unknown id. */
function responseToUnused({ operation, position, kind }: Swap) {
  const name = [operation.name, position.place, ...position.steps, kind].join(' ');
  const known = controls.get(name);
  if (known !== undefined) return known;
  const id = unusedId(kind);
  const control = sender.send(requestOf({ operation, position }, id)).then((got) => shown(got, id));
  controls.set(name, control);
  return control;
}

const sendSwaps = (chosen: readonly Swap[]) =>
  Promise.all(
    chosen.map(async (swap) => {
      const expected = await responseToUnused(swap);
      const got = shown(await sender.send(requestOf(swap, swap.id)), swap.id);
      const where = `${swap.operation.name} ${swap.position.steps.join('.')} ${swap.kind} ${swap.id}`;
      return { swap, where, got, expected };
    }),
  );

const stored = (tenant: TenantData) => snapshot(service.db, tenant.organizationId);

describe('a document of another organization', () => {
  it('is treated as unknown when it is read, filtered or deleted by any of its ids', async () => {
    const before = await Promise.all([own, other].map(stored));
    const outcomes = await sendSwaps(someSwaps(reading, readingSwaps));
    for (const { where, got, expected } of outcomes)
      expect([where, got]).toEqual([where, expected]);
    expect(await Promise.all([own, other].map(stored))).toEqual(before);
    expect(new Set(outcomes.map(({ swap }) => swap.operation.name)).size).toBeGreaterThan(7);
  });

  it('is treated as unknown when a body contains any of its ids', async () => {
    const before = await stored(other);
    const outcomes = await sendSwaps(someSwaps(writing, writingSwaps));
    const isRefused = ({ got }: (typeof outcomes)[number]) => got.status >= 400;
    for (const outcome of outcomes) {
      const { where, got, expected } = outcome;
      // An accepted body contains the id as plain data, which the check of references below proves.
      const isAccepted = got.status < 300 && expected.status < 300;
      if (!isAccepted) expect([where, got]).toEqual([where, expected]);
    }
    const refused = outcomes.filter(isRefused).map(({ swap }) => swap);
    expect(refused.length).toBeGreaterThan(writingSwaps / 10);

    const after = await stored(own);
    const repeated = await sendSwaps(refused.slice(0, writingSwaps / 2));
    expect(repeated.filter((outcome) => !isRefused(outcome))).toEqual([]);
    expect(await stored(own)).toEqual(after);
    expect(await stored(other)).toEqual(before);
    expect(await foreignReferences(service.db, own, other)).toEqual([]);
  });

  it('is never queried, because each command names only the organization of the caller', () => {
    const organizationId = own.organizationId.toHexString();
    const foreign = commands.filter(({ organizations }) =>
      organizations?.some((id) => id !== organizationId),
    );
    expect(foreign).toEqual([]);
    expect(commands.length).toBeGreaterThan(writingSwaps);
    const collections = new Set(commands.map(({ collection }) => collection));
    for (const name of ['leads', 'compounds', 'units', 'reservations', 'chequeWallets']) {
      expect(collections).toContain(name);
    }
  });
});
