import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { ClientRecords } from '../../clients/client-records.js';
import { DatabaseUnavailableError } from '../../database/connection/database-errors.js';
import { toOrganization } from '../../organizations/organization.js';
import type { LeadPayload } from '../lead-merge.js';
import type { LeadDocument } from '../lead.schema.js';
import type { LeadDecision } from './lead-decision.js';
import { LeadGroupsService } from './lead-groups.service.js';
import { LeadRecords } from './lead-records.js';

const organizationId = new ObjectId();
const organization = toOrganization({ _id: organizationId } as never);
const caller = {
  organizationId,
  organization,
  apiKeyId: new ObjectId(),
  permissions: '{}',
  requestId: 'request',
  language: 'en-us',
} as const;

/** The names of the leads of each transaction. */
let stored: string[][];
/** Leads that are stored already. */
let leads: LeadDocument[];
/** How many requests were to be loaded each time, and how. */
let loads: { readonly count: number; readonly isExhaustive: boolean }[];
/** How many requests are loaded at most. */
let loadLimit: number;
let store: (decisions: readonly LeadDecision[]) => void;
let lastNumber: number;
/** Lets the first transaction go on. */
let finishFirst: () => void;

beforeEach(() => {
  stored = [];
  leads = [];
  loads = [];
  loadLimit = 100;
  lastNumber = 0;
  store = () => undefined;
});

afterEach(() => void jest.restoreAllMocks());

async function nextNumbers(_id: unknown, count: number): Promise<number[]> {
  return Array.from({ length: count }, () => (lastNumber += 1));
}

/** The rules as they are, over a database that the test plays. */
function serviceWith(deadlineMs = 10_000): LeadGroupsService {
  let isFirst = true;
  const first = new Promise<void>((resolve) => (finishFirst = resolve));
  const run = async (work: () => Promise<unknown>) => {
    if (isFirst) {
      isFirst = false;
      await first;
    }
    return work();
  };
  const load = async (
    _organization: unknown,
    { length: count }: readonly unknown[],
    { isExhaustive }: { isExhaustive: boolean },
  ) => {
    loads.push({ count, isExhaustive });
    const phones = isExhaustive ? ['+201000000001'] : [];
    const records = new LeadRecords({
      organization,
      leads,
      soughtPhones: new Set(phones),
      phoneOwners: [],
      userNames: new Map(),
      compoundsNamed: () => [],
      clients: new ClientRecords(
        [],
        { phones: new Set(), keys: new Set(phones.map((phone) => `phone:${phone}`)) },
        'EG',
      ),
    });
    return { records, count: Math.min(count, loadLimit) };
  };
  const writer = {
    store: async (_id: unknown, _clients: unknown, decisions: readonly LeadDecision[]) => {
      store(decisions);
      stored.push(decisions.map(({ lead }) => String(lead.data?.['name'])));
    },
  };
  return new LeadGroupsService(
    { run } as never,
    { load } as never,
    writer as never,
    { next: nextNumbers } as never,
    { now: () => new Date() },
    { DATABASE_DEADLINE_MS: deadlineMs } as never,
  );
}

function submit(service: LeadGroupsService, payloads: readonly LeadPayload[]) {
  return payloads.map((payload) =>
    service.upsert(caller, payload).then(
      ({ operation }) => operation,
      (error: unknown) => (error as Error).constructor.name,
    ),
  );
}

const named = (...names: string[]) => names.map((name) => ({ name }));

describe('LeadGroupsService', () => {
  it('stores what came during a transaction in the next one', async () => {
    const responses = submit(serviceWith(), named('a', 'b', 'c'));
    finishFirst();
    expect(await Promise.all(responses)).toEqual(['create', 'create', 'create']);
    expect(stored).toEqual([['a'], ['b', 'c']]);
  });

  it('lets a request that is refused touch none of its neighbours', async () => {
    const payloads = [...named('a', 'b'), { data: { $ref: 1, $id: 1 } }, ...named('c')];
    const responses = submit(serviceWith(), payloads);
    finishFirst();
    expect(await Promise.all(responses)).toEqual(['create', 'create', 'DomainError', 'create']);
    expect(stored).toEqual([['a'], ['b', 'c']]);
    // Nor does it take a number.
    expect(lastNumber).toBe(3);
  });

  it('shows a new lead with its number to those that come after it', async () => {
    const service = serviceWith();
    const payloads = [{ name: 'a' }, { recordSystemId: 'b' }, { recordSystemId: 'b', name: 'c' }];
    const decisions = Promise.all(payloads.map((payload) => service.upsert(caller, payload)));
    finishFirst();
    const shown = (await decisions).map(({ lead, events }) => [
      lead.leadId,
      events.map(({ type, data }) => [type, (data as { leadId?: number }).leadId]),
    ]);
    expect(shown).toEqual([
      [
        1,
        [
          ['client.created', undefined],
          ['lead.created', 1],
        ],
      ],
      [2, [['lead.created', 2]]],
      [
        2,
        [
          ['client.created', undefined],
          ['lead.updated', 2],
        ],
      ],
    ]);
  });

  it('stores its neighbours when one cannot be stored', async () => {
    store = (decisions) => {
      if (decisions.some(({ lead }) => lead.data?.['name'] === 'bad'))
        throw new RangeError('not storable');
    };
    const responses = submit(serviceWith(), named('a', 'b', 'bad', 'c'));
    finishFirst();
    expect(await Promise.all(responses)).toEqual(['create', 'create', 'RangeError', 'create']);
    expect(stored).toEqual([['a'], ['b'], ['c']]);
  });

  it('repeats nothing that the database may have stored', async () => {
    let attempts = 0;
    store = () => {
      attempts += 1;
      throw new DatabaseUnavailableError();
    };
    const responses = submit(serviceWith(), named('a', 'b', 'c'));
    finishFirst();
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['DatabaseUnavailableError']));
    expect(attempts).toBe(2);
  });

  it('does not store what has had its response while it waited', async () => {
    const responses = submit(serviceWith(0), named('a', 'b'));
    finishFirst();
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['DatabaseUnavailableError']));
    expect(stored).toEqual([]);
  });

  it('loads nothing for what has had its response while it waited', async () => {
    const service = serviceWith();
    const old = submit(service, named('a', 'b', 'c'));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 20_000);
    const young = submit(service, named('d'));
    finishFirst();
    await Promise.all(old);
    expect(await Promise.all(young)).toEqual(['create']);
    // The first one's transaction had begun.
    expect(loads.map(({ count }) => count)).toEqual([1, 1]);
  });

  it('goes on with those that were not loaded because the group took too much memory', async () => {
    loadLimit = 2;
    const responses = submit(serviceWith(), named('a', 'b', 'c', 'd', 'e', 'f'));
    finishFirst();
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['create']));
    expect(stored).toEqual([['a'], ['b', 'c'], ['d', 'e'], ['f']]);
  });

  it('loads all that there may be when a decision asks for more than was loaded', async () => {
    const service = serviceWith();
    const responses = submit(service, [{ name: 'a' }, { phoneNumber: '01000000001' }]);
    finishFirst();
    expect(await Promise.all(responses)).toEqual(['create', 'create']);
    expect(loads).toEqual([
      { count: 1, isExhaustive: false },
      { count: 1, isExhaustive: false },
      { count: 1, isExhaustive: true },
    ]);
  });

  it('tells how large groups were, and what waits', async () => {
    const service = serviceWith();
    const responses = submit(service, named('a', 'b', 'c'));
    expect(service.stats()).toEqual({ sizes: [undefined, 1], waiting: 2, running: 1, heldUp: 0 });
    finishFirst();
    await Promise.all(responses);
    expect(service.stats().sizes).toEqual([undefined, 1, 1]);
  });

  it('does not store what would have its response before the commit', async () => {
    const service = serviceWith();
    const old = submit(service, named('a', 'b'));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 9_900);
    const young = submit(service, named('c'));
    finishFirst();
    expect(new Set(await Promise.all(old))).toEqual(new Set(['DatabaseUnavailableError']));
    expect(await Promise.all(young)).toEqual(['create']);
    expect(stored).toEqual([['c']]);
  });

  it('splits a group whose leads are too large for one transaction', async () => {
    const now = new Date();
    const ids = Array.from({ length: 12 }, (_, index) => `lead ${index}`);
    leads = ids.map((recordSystemId, index) => ({
      _id: new ObjectId(),
      organizationId,
      leadId: index,
      recordSystemId,
      data: { text: 'x'.repeat(3_900_000) },
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    }));
    const payloads = ids.map((recordSystemId) => ({ recordSystemId, name: recordSystemId }));
    const responses = submit(serviceWith(), payloads);
    finishFirst();
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['update']));
    expect(stored.flat()).toEqual(ids);
    expect(stored.map(({ length }) => length)).toEqual([1, 5, 5, 1]);
  });
});
