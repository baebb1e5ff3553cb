import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { openSession, withSession } from '../../core/database/transactions/open-session.js';
import { toOrganization } from '../../tenants/organizations/organization.js';
import { LeadRecordsLoader } from './lead-records-loader.js';

const organization = toOrganization({ _id: new ObjectId() } as never);

describe('LeadRecordsLoader', () => {
  it('looks for nothing that a refused lead needs, which may be what cannot be loaded', async () => {
    const sought: string[] = [];
    const seek = async (_id: unknown, texts: readonly string[]) => {
      sought.push(...texts);
      return [];
    };
    const contacts: unknown[] = [];
    const load = async (_organization: unknown, of: readonly unknown[]) => contacts.push(...of);
    const loader = new LeadRecordsLoader(
      { findActiveInBatch: async () => [], findByPhones: seek } as never,
      { namesOf: async () => new Map() } as never,
      { idsByName: seek } as never,
      { load } as never,
    );
    const requests = ['1', '2'].map((digit) => ({
      caller: { organization },
      payload: {},
      data: { phoneNumber: `+20100000000${digit}`, project: `Lake ${digit}` },
      ...(digit === '1' ? { refusal: new Error('It cannot be loaded.') } : {}),
    }));
    const { count } = await loader.load(organization, requests as never, { isExhaustive: true });
    expect(count).toBe(2);
    const text = JSON.stringify([sought, contacts]);
    expect(text).toMatch(/\+201000000002/);
    expect(text).toMatch(/Lake 2/);
    expect(text).not.toMatch(/01000000001|Lake 1/);
  });

  it('asks for compounds beside the leads and outside of the transaction', async () => {
    const events: string[] = [];
    const loader = new LeadRecordsLoader(
      {
        findActiveInBatch: async () => {
          events.push(`leads: ${Object.keys(openSession()).join()}`);
          await new Promise(setImmediate);
          events.push('leads are there');
          return [];
        },
        findByPhones: async () => [],
      } as never,
      { namesOf: async () => new Map() } as never,
      {
        idsByName: async () => {
          events.push(`compounds: ${Object.keys(openSession()).join()}`);
        },
      } as never,
      { load: async () => ({}) } as never,
    );
    const request = { caller: { organization }, payload: {}, data: { project: 'Lake' } };
    await withSession({} as never, () =>
      loader.load(organization, [request] as never, { isExhaustive: false }),
    );
    expect(events.toSorted()).toEqual(['compounds: ', 'leads are there', 'leads: session']);
    expect(events.indexOf('compounds: ')).toBeLessThan(events.indexOf('leads are there'));
  });
});
