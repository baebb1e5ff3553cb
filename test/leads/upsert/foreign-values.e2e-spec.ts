import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  Binary,
  BSONRegExp,
  Code,
  DBRef,
  Decimal128,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { addClient, addCompound, addLead } from '../../support/builders.js';
import { truncated, truncateTexts } from '../../support/truncated-texts.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

beforeAll(async () => {
  tenant = await service.addTenant();
});

const seconds = Date.UTC(2026, 0, 5) / 1_000;
const id = '6740b1f2c3d4e5f607182930';
const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e';

/** Values as another program stores them, and their JSON. */
const values: Readonly<Record<string, readonly [unknown, string]>> = {
  price: [Decimal128.fromString('12500000.50'), '12500000.5'],
  exact: [
    Decimal128.fromString('0.1234567890123456789012345678901234'),
    '0.1234567890123456789012345678901234',
  ],
  whole: [Decimal128.fromString('5.00'), '5'],
  infinite: [Decimal128.fromString('Infinity'), 'null'],
  count: [Long.fromNumber(7), '7'],
  wide: [Long.fromString('9007199254740993'), '9007199254740993'],
  at: [new Date('2026-01-05T09:30:00Z'), '"2026-01-05T09:30:00.000Z"'],
  clock: [new Timestamp({ t: seconds, i: 1 }), '"2026-01-05T00:00:00.000Z"'],
  owner: [new ObjectId(id), `"${id}"`],
  uuid: [new UUID(uuid), `"${uuid}"`],
  bytes: [new Binary(Buffer.from('abc')), '"YWJj"'],
  pattern: [new BSONRegExp('^a', 'i'), '"/^a/i"'],
  code: [new Code('return 1'), '"return 1"'],
  least: [new MinKey(), 'null'],
  most: [new MaxKey(), 'null'],
  reference: [new DBRef('users', new ObjectId(id)), `{"$ref":"users","$id":"${id}"}`],
  nested: [
    { list: [Decimal128.fromString('1.10'), { at: new Date(0) }] },
    '{"list":[1.1,{"at":"1970-01-01T00:00:00.000Z"}]}',
  ],
};
const stored = Object.fromEntries(Object.entries(values).map(([key, [value]]) => [key, value]));
const json = `{${Object.entries(values)
  .map(([key, [, text]]) => `"${key}":${text}`)
  .join(',')}}`;

const upsert = async (text: string) => {
  const request = tenant.post('/leads').set('content-type', 'application/json').send(text);
  return (await request.expect(200)).body.lead as Record<string, unknown>;
};
const read = async (recordSystemId: string) =>
  (await tenant.get(`/leads/${recordSystemId}`).expect(200)).body.lead as object;

describe('a lead of another program', () => {
  it('stays readable and writable with empty lists', async () => {
    const client = { name: 'Mona', phoneNumbers: [null, '+201000000311'] };
    const clientId = await tenant.add(addClient, client);
    const data = { phoneNumber: '01000000311' };
    const fields = { recordSystemId: 'nulls', clientId, compoundsIds: [null], data };
    await tenant.add(addLead, fields);
    expect(await read('nulls')).toMatchObject({ compoundsIds: [] });
    await tenant.add(addCompound, { 'en-us': 'Null Lake' });
    const sent = { name: 'Nora', phoneNumber2: '01000000312', project: 'Null Lake' };
    const { body } = await tenant.post('/leads', { recordSystemId: 'nulls', ...sent }).expect(200);
    expect(body.lead.compoundsIds).toHaveLength(1);
    const { phoneNumbers } = await tenant.storedOne('clients', { _id: clientId });
    expect(phoneNumbers).toEqual(['+201000000311', '+201000000312']);
    await tenant.delete('/leads/nulls').expect(200);
  });

  it('stays readable and writable when strings are cut inside a multibyte character', async () => {
    const [name, phoneNumber] = [truncated.whole, '01000000321'];
    const clientId = await tenant.add(addClient, { name, phoneNumbers: ['+201000000321'] });
    const data = { name, phoneNumber };
    const fields = { recordSystemId: 'cut', clientId, data, additionalData: { [name]: 1 } };
    const _id = await tenant.add(addLead, fields);
    await truncateTexts(service, 'clients', clientId);
    await truncateTexts(service, 'leads', _id);
    const shown = { data: { name: truncated.shown }, additionalData: { [truncated.shown]: 1 } };
    expect(await read('cut')).toMatchObject(shown);
    const updated = await upsert('{"recordSystemId":"cut","data":{"budget":5}}');
    expect(updated['data']).toEqual({ name: truncated.shown, phoneNumber, budget: 5 });
  });

  it('is returned with each value as JSON and with all digits', async () => {
    const fields = { data: stored, additionalData: stored };
    await tenant.add(addLead, { recordSystemId: 'shown', ...fields });
    const { text } = await tenant.get('/leads/shown');
    expect(text).toContain(`"data":${json},"additionalData":${json}`);
  });

  it('has no changes when the returned values are sent back', async () => {
    const fields = { data: stored, additionalData: stored };
    const _id = await tenant.add(addLead, { recordSystemId: 'again', ...fields });
    const events = () => tenant.stored('outboxEvents', { 'data._id': _id.toHexString() });
    // The background job may add the phone keys at any time.
    const lead = async () => {
      const {
        phoneKeys: _k,
        phoneKeysOf: _o,
        phoneKeysAt: _a,
        ...others
      } = await tenant.storedOne('leads', { _id });
      return others;
    };
    const before = await lead();
    // A request body cannot contain references, and decimals only as doubles.
    const sent = json.replace(/,"reference":{[^}]*}/, '').replace(/"exact":[\d.]*,/, '');
    await upsert(`{"recordSystemId":"again","data":${sent},"additionalData":${sent}}`);
    expect(await lead()).toEqual(before);
    expect(await tenant.stored('changeLogs', { entityId: _id })).toMatchObject([{ changes: [] }]);
    expect(await events()).toEqual([]);
    await upsert('{"recordSystemId":"again","data":{"wide":9007199254740992,"count":8}}');
    const changes = [{ field: 'data.count' }, { field: 'data.wide' }];
    expect(await events()).toMatchObject([{ changes }]);
    const { exact, clock } = stored;
    expect(await lead()).toMatchObject({ data: { exact, clock, count: 8 } });
  });
});
