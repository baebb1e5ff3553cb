import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getModelToken } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { acrossTenants } from '../../src/core/database/models/across-tenants.js';
import type { LeadDocument } from '../../src/leads/lead.schema.js';
import { addLead } from '../support/builders.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let leads: Model<LeadDocument>;
const organizationId = new ObjectId();
let _id: ObjectId;

beforeAll(async () => {
  service = await startTestService();
  leads = service.service.app.get(getModelToken('Lead'));
  _id = await addLead(service.db, organizationId, { recordSystemId: 'a' });
});
afterAll(() => service.stop());

const update = { $set: { isActive: false } };
const refused = 'must name its organization';
const match = (filter: object) => leads.aggregate([{ $match: filter }]);
const bulk = (filter: object) => leads.bulkWrite([{ updateOne: { filter, update } }]);

describe('a query of tenant data', () => {
  it.each<[string, (filter: object) => PromiseLike<unknown>]>([
    ['find', (filter) => leads.find(filter).lean()],
    ['find with a cursor', async (filter) => leads.find(filter).lean().cursor().next()],
    ['findOne', (filter) => leads.findOne(filter).lean()],
    ['findOneAndUpdate', (filter) => leads.findOneAndUpdate(filter, update).lean()],
    ['findOneAndDelete', (filter) => leads.findOneAndDelete({ ...filter, _id: new ObjectId() })],
    ['updateOne', (filter) => leads.updateOne(filter, update)],
    ['updateMany', (filter) => leads.updateMany(filter, update)],
    ['deleteOne', (filter) => leads.deleteOne({ ...filter, _id: new ObjectId() })],
    ['deleteMany', (filter) => leads.deleteMany({ ...filter, _id: new ObjectId() })],
    ['countDocuments', (filter) => leads.countDocuments(filter)],
    ['distinct', (filter) => leads.distinct('leadId', filter)],
    ['aggregate', match],
    ['bulkWrite', bulk],
  ])('is refused without an organization: %s', async (_name, run) => {
    const wrong = [{}, { _id }, { organizationId: undefined }, { organizationId: { $ne: null } }];
    const alsoWrong = [
      { organizationId: { $in: [organizationId, 'x'] } },
      { $or: [{ organizationId }] },
    ];
    for (const filter of [...wrong, ...alsoWrong]) {
      // Awaits inside, because a query starts only when it is awaited.
      await expect((async () => run(filter))()).rejects.toThrow(refused);
    }
    await run({ organizationId });
    await run({ organizationId: { $in: [organizationId] } });
  });

  it('is refused when it inserts a document without an organization', async () => {
    const insert = (document: object) => leads.insertMany([document], { lean: true });
    await expect(insert({ recordSystemId: 'b' })).rejects.toThrow(refused);
    const insertOne = { insertOne: { document: { recordSystemId: 'b' } as LeadDocument } };
    await expect(leads.bulkWrite([insertOne])).rejects.toThrow(refused);
  });

  it.each([
    { $lookup: { from: 'units', pipeline: [], as: 'units' } },
    { $unionWith: { coll: 'units' } },
    { $merge: { into: 'units' } },
  ])('is refused with a stage that reads or writes other collections: %j', async (stage) => {
    const pipeline = [{ $match: { organizationId } }, stage] as Parameters<
      typeof leads.aggregate
    >[0];
    await expect(leads.aggregate(pipeline).exec()).rejects.toThrow('Not of one organization');
  });

  it('reaches all organizations if it says so', async () => {
    const other = await addLead(service.db, new ObjectId(), {});
    const ids = { $in: [_id, other] };
    const all = { updatedAt: { $gte: new Date(0) } };
    const active = { isDeleted: false };
    const some = leads.aggregate([{ $match: { _id: ids, ...active } }]).option(acrossTenants);
    expect(await some).toHaveLength(2);
    const matched = await match({ ...active, ...all }).option(acrossTenants);
    const both = [_id, other].map((id) => expect.objectContaining({ _id: id }));
    expect(matched).toEqual(expect.arrayContaining(both));
    const operation = { updateMany: { filter: { _id: ids, ...all }, update } };
    const { matchedCount } = await leads.bulkWrite([operation], acrossTenants as object);
    expect(matchedCount).toBe(2);
  });
});
