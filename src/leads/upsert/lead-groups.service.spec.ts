import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../core/observability/metrics.js';
import { ObjectId } from 'mongodb';
import { ClientRecords } from '../../tenants/clients/client-records.js';
import { toOrganization } from '../../tenants/organizations/organization.js';
import { LeadNumbers } from '../lead-numbers.js';
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
let lastNumber: number;
/** Lets the first transaction go on. */
let finishFirst: () => void;

beforeEach(() => {
  stored = [];
  leads = [];
  loads = [];
  loadLimit = 100;
  lastNumber = 0;
});

async function nextNumbers(_id: unknown, _name: unknown, count: number): Promise<number[]> {
  return Array.from({ length: count }, () => (lastNumber += 1));
}

/** The rules as they are, over a database that the test plays. */
function serviceWith(): LeadGroupsService {
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
      stored.push(decisions.map(({ lead }) => String(lead.data?.['name'])));
    },
  };
  return new LeadGroupsService(
    { run, deadlineMs: 10_000 } as never,
    { load } as never,
    writer as never,
    new LeadNumbers({ next: nextNumbers } as never, undefined as never),
    { completeGroup: async () => undefined } as never,
    { now: () => new Date() },
    new Metrics(),
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
