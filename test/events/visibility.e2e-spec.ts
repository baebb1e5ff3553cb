import { describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { addCatalogue, addCompound, addKey } from '../support/builders.js';
import { useFeed } from './feed-service.js';

const feed = useFeed();
const isPublic = { isPublished: true, isPublic: true };
const time = '2026-01-05T00:00:00.000Z';

/** Writes a public and a hidden compound, with a unit each, and keys that see everything or only the public ones. */
async function addOrganization() {
  const reader = await feed.addReader();
  const { organizationId } = reader;
  const { db } = feed.service;
  const compound = (flags: object) => addCompound(db, organizationId, { 'en-us': 'A' }, flags);
  const [shownId, hiddenId] = [await compound(isPublic), await compound({ isPublic: true })];
  const unitOf = (compoundId: ObjectId, fields: object = {}) =>
    addCatalogue(db, 'units', organizationId, { compoundId, slug: String(compoundId), ...fields });
  const units = { shown: await unitOf(shownId), hidden: await unitOf(hiddenId) };
  const permissions = {
    allowExternal: true,
    operations: ['catalogue.read', 'events.read'],
    visibility: 'public',
  };
  const key = await addKey(db, organizationId, { permissions });
  const read = (parameters: Document = {}) => reader.read(parameters, { 'api-key': key });
  const publish = async (type: string, data: object, changes?: object[]) => {
    const [event] = await reader.publish(1, { type, data, ...(changes && { changes }) });
    return event;
  };
  const dataOf = (_id: ObjectId, compoundId: ObjectId, fields: object = {}) => ({
    _id: _id.toHexString(),
    compoundId: compoundId.toHexString(),
    isAdminOnly: false,
    name: 'Secret name',
    price: 5,
    updatedAt: time,
    ...fields,
  });
  return { ...reader, shownId, hiddenId, units, read, readAll: reader.read, publish, dataOf };
}

const shownBy = ({ body }: { readonly body: Document }) =>
  (body['data'] as Document[]).map(({ sequence, type, data, changes }) => ({
    sequence,
    type,
    data,
    ...(changes !== undefined && { changes }),
  }));

const removed = (_id: ObjectId) => ({
  _id: _id.toHexString(),
  isDeleted: true,
  updatedAt: time,
});

describe('GET /events with public visibility', () => {
  it('omits the creation of hidden units, and shows their other events as removals', async () => {
    const { publish, dataOf, units, shownId, hiddenId, read, readAll } = await addOrganization();
    const shown = dataOf(units.shown, shownId);
    const hidden = dataOf(units.hidden, hiddenId);
    const priced = [{ field: 'price', from: 4, to: 5 }];
    await publish('unit.created', hidden);
    await publish('unit.created', shown);
    await publish('unit.updated', hidden, priced);
    await publish('unit.updated', shown, priced);
    await publish('unit.deleted', hidden);
    await publish('lead.created', { _id: 'x', name: 'Mona' });
    const page = await read().expect(200);
    expect(shownBy(page)).toEqual([
      { sequence: 2, type: 'unit.created', data: shown },
      { sequence: 3, type: 'unit.deleted', data: removed(units.hidden) },
      { sequence: 4, type: 'unit.updated', data: shown, changes: priced },
      { sequence: 5, type: 'unit.deleted', data: removed(units.hidden) },
      { sequence: 6, type: 'lead.created', data: { _id: 'x', name: 'Mona' } },
    ]);
    expect([page.body.next, page.body.hasMore]).toEqual([6, false]);
    expect((await readAll().expect(200)).body.data).toHaveLength(6);
  });

  it.each<[string, (state: Awaited<ReturnType<typeof addOrganization>>) => Promise<Document>]>([
    [
      'was admin-only at its time',
      async ({ dataOf, units, shownId }) => dataOf(units.shown, shownId, { isAdminOnly: true }),
    ],
    [
      'is admin-only now',
      async ({ dataOf, units, shownId }) => {
        const fields = { $set: { isAdminOnly: true } };
        await feed.collection('units').updateOne({ _id: units.shown }, fields);
        return dataOf(units.shown, shownId);
      },
    ],
    [
      'is in a hidden compound now',
      async ({ dataOf, units, shownId, hiddenId }) => {
        const fields = { $set: { compoundId: hiddenId } };
        await feed.collection('units').updateOne({ _id: units.shown }, fields);
        return dataOf(units.shown, shownId);
      },
    ],
    [
      'is in a compound that was hidden since',
      async ({ dataOf, units, shownId }) => {
        const fields = { $set: { isPublished: false } };
        await feed.collection('compounds').updateOne({ _id: shownId }, fields);
        return dataOf(units.shown, shownId);
      },
    ],
    [
      'was in a compound that is hidden',
      async ({ dataOf, hiddenId }) => dataOf(new ObjectId(), hiddenId),
    ],
  ])('shows an event as a removal when its unit %s', async (_, prepare) => {
    const state = await addOrganization();
    const data = await prepare(state);
    await state.publish('unit.updated', data, [{ field: 'name', from: 'Secret name', to: '' }]);
    const { text, body } = await state.read().expect(200);
    expect(text).not.toContain('Secret');
    const shown = { _id: data['_id'], isDeleted: true, updatedAt: time };
    expect(body.data).toMatchObject([{ sequence: 1, type: 'unit.deleted', data: shown }]);
  });

  it('shows no earlier values, phase or location of a hidden compound', async () => {
    const { publish, dataOf, units, shownId, hiddenId, read } = await addOrganization();
    const locationsIds = [shownId, hiddenId].map(String);
    const parts = {
      phase: { _id: 'p', parentId: hiddenId.toHexString(), name: 'Secret phase' },
      unitDesign: { _id: 'd', name: 'Garden', locationsIds },
    };
    const moved = [
      { field: 'compoundId', from: hiddenId.toHexString(), to: shownId.toHexString() },
      { field: 'name', from: 'Secret old name', to: 'New' },
    ];
    const data = dataOf(units.shown, shownId, { name: 'New', ...parts });
    await publish('unit.updated', data, moved);
    const page = await read().expect(200);
    const unitDesign = { ...parts.unitDesign, locationsIds: [shownId.toHexString()] };
    const shown = { ...data, phase: null, unitDesign };
    expect(shownBy(page)).toEqual([
      { sequence: 1, type: 'unit.updated', data: shown, changes: [] },
    ]);
  });

  it('finds removals by their own type', async () => {
    const { publish, dataOf, units, shownId, hiddenId, read } = await addOrganization();
    await publish('unit.updated', dataOf(units.hidden, hiddenId), []);
    await publish('unit.updated', dataOf(units.shown, shownId), []);
    const found = async (types: string) =>
      shownBy(await read({ types }).expect(200)).map(({ sequence }) => sequence);
    expect(await found('unit.deleted')).toEqual([1]);
    expect(await found('unit.updated')).toEqual([2]);
    expect(await found('unit.*')).toEqual([1, 2]);
    expect(await found('unit.created')).toEqual([]);
  });

  it('continues after events that it omits, also in small pages', async () => {
    const { store, waitForNumber, dataOf, units, shownId, hiddenId, read } =
      await addOrganization();
    await store(60, { type: 'unit.created', data: dataOf(units.hidden, hiddenId) });
    await waitForNumber(60);
    await store(1, { type: 'unit.created', data: dataOf(units.shown, shownId) });
    await waitForNumber(61);
    for (const limit of [1, 25, 100]) {
      const { body } = await read({ limit }).expect(200);
      expect([body.data.map(({ sequence }: Document) => sequence), body.next]).toEqual([[61], 61]);
    }
    const { body } = await read({ after: 30 }).expect(200);
    expect(body.data).toHaveLength(1);
  });

  it('waits until an event is shown', async () => {
    const { publish, dataOf, units, shownId, hiddenId, read } = await addOrganization();
    const waiting = read({ wait: 20 }).expect(200).then(shownBy);
    await publish('unit.created', dataOf(units.hidden, hiddenId));
    await publish('unit.created', dataOf(units.shown, shownId));
    expect((await waiting).map(({ sequence }) => sequence)).toEqual([2]);
  });

  it('reads units and compounds once for a batch, and never for other keys', async () => {
    const { store, waitForNumber, dataOf, units, shownId, read, readAll } = await addOrganization();
    await store(20, { type: 'unit.created', data: dataOf(units.shown, shownId) });
    await waitForNumber(20);
    const commands: string[] = [];
    feed.service.tenantCommands.onCommand(({ name, collection }) => {
      if (/^(units|compounds|phases)$/.test(collection)) commands.push(`${name} ${collection}`);
    });
    expect((await read().expect(200)).body.data).toHaveLength(20);
    expect(commands).toEqual(['find compounds', 'find phases', 'find units']);
    commands.length = 0;
    expect((await readAll().expect(200)).body.data).toHaveLength(20);
    expect(commands).toEqual([]);
  });
});
