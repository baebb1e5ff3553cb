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
import { addClient, addCompound, addLead, addTenant, type Tenant } from '../../support/builders.js';
import { cutText, cutTexts } from '../../support/cut-texts.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

const seconds = Date.UTC(2026, 0, 5) / 1_000;
const id = '6740b1f2c3d4e5f607182930';
const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e';

/** Stored values of another program and their JSON. */
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

/** Added to leads of other programs by the background pass. */
const addedInBackground = { phoneKeys: 0, phoneKeysOf: 0, phoneKeysAt: 0 };

describe('a lead with empty lists of another program', () => {
  it('stays readable and writable', async () => {
    const { organizationId, key } = tenant;
    const clientId = await addClient(service.db, organizationId, {
      name: 'Mona',
      phoneNumbers: [null, '+201000000311'],
    });
    const fields = { recordSystemId: 'nulls', clientId, compoundsIds: [null] };
    await addLead(service.db, organizationId, { ...fields, data: { phoneNumber: '01000000311' } });
    const request = (method: 'get' | 'delete') =>
      service.api(method, '/leads/nulls').set('api-key', key).expect(200);
    expect((await request('get')).body.lead).toMatchObject({ compoundsIds: [] });
    await addCompound(service.db, organizationId, { 'en-us': 'Null Lake' });
    const sent = { name: 'Nora', phoneNumber2: '01000000312', project: 'Null Lake' };
    const { body } = await service
      .api('post', '/leads')
      .set('api-key', key)
      .send({ recordSystemId: 'nulls', ...sent })
      .expect(200);
    expect(body.lead.compoundsIds).toHaveLength(1);
    const client = await service.db.collection('clients').findOne({ _id: clientId });
    expect(client).toMatchObject({ phoneNumbers: ['+201000000311', '+201000000312'] });
    await request('delete');
  });
});

describe('a lead with texts of another program that end within a character', () => {
  it('stays readable and writable', async () => {
    const { organizationId, key } = tenant;
    const name = cutText.whole;
    const contact = { name, phoneNumbers: ['+201000000321'], email: null };
    const clientId = await addClient(service.db, organizationId, contact);
    const data = { name, phoneNumber: '01000000321' };
    const fields = { recordSystemId: 'cut', clientId, data, additionalData: { [name]: 1 } };
    const _id = await addLead(service.db, organizationId, fields);
    await cutTexts(service, 'clients', clientId);
    await cutTexts(service, 'leads', _id);
    const read = await service.api('get', '/leads/cut').set('api-key', key).expect(200);
    expect(read.body.lead).toMatchObject({
      data: { name: cutText.shown },
      additionalData: { [cutText.shown]: 1 },
    });
    const { body } = await service
      .api('post', '/leads')
      .set('api-key', key)
      .send({ recordSystemId: 'cut', data: { budget: 5 } })
      .expect(200);
    expect(body.lead.data).toEqual({ ...data, name: cutText.shown, budget: 5 });
  });
});

describe('a lead with values of another program', () => {
  const add = (recordSystemId: string) =>
    addLead(service.db, tenant.organizationId, {
      recordSystemId,
      data: stored,
      additionalData: stored,
    });
  const post = (body: string) =>
    service
      .api('post', '/leads')
      .set({ 'api-key': tenant.key, 'content-type': 'application/json' })
      .send(body);
  const last = (collection: string, filter: object) =>
    service.db
      .collection(collection)
      .findOne(
        { organizationId: tenant.organizationId, ...filter },
        { sort: { _id: -1 }, projection: addedInBackground },
      );

  it('returns the values as JSON with all digits', async () => {
    await add('shown');
    const { text } = await service.api('get', '/leads/shown').set('api-key', tenant.key);
    expect(text).toContain(`"data":${json},"additionalData":${json}`);
  });

  it('has no changes when the returned values are sent back', async () => {
    const _id = await add('again');
    const before = await last('leads', { _id });
    // A request body accepts no references, and decimals only as doubles.
    const sent = json.replace(/,"reference":{[^}]*}/, '').replace(/"exact":[\d.]*,/, '');
    await post(`{"recordSystemId":"again","data":${sent},"additionalData":${sent}}`).expect(200);
    expect(await last('leads', { _id })).toEqual(before);
    expect(await last('changeLogs', { entityId: _id })).toMatchObject({ changes: [] });
    expect(await last('outboxEvents', { 'data._id': _id.toHexString() })).toBeNull();
    await post('{"recordSystemId":"again","data":{"wide":9007199254740992,"count":8}}').expect(200);
    const event = await last('outboxEvents', { 'data._id': _id.toHexString() });
    expect(event?.['changes'].map(({ field }: { field: string }) => field)).toEqual([
      'data.count',
      'data.wide',
    ]);
    expect((await last('leads', { _id }))?.['data']).toMatchObject({
      exact: stored['exact'],
      clock: stored['clock'],
      count: 8,
    });
  });
});
