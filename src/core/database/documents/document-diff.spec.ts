import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { buildWrite } from './document-diff.js';

const time = new Date('2026-01-05T00:00:00Z');
const stored = {
  _id: new ObjectId(),
  organizationId: new ObjectId(),
  createdAt: time,
  updatedAt: time,
};
const documentWith = (fields: object) => ({ ...stored, ...fields });

describe('buildWrite', () => {
  it('returns an insert for a new document', () => {
    expect(buildWrite({ before: undefined, after: stored })).toEqual({ insert: stored });
  });

  const item = { status: 'pending', dueDate: new Date(Number.NaN), history: ['a'] };
  const changed = { ...item, status: 'changed' };
  it.each<[string, object, object, object]>([
    [
      'sets changed fields and removes missing ones',
      { status: 'approved', approvedAt: time },
      { status: 'canceled', canceledAt: time },
      { $set: { status: 'canceled', canceledAt: time }, $unset: { approvedAt: '' } },
    ],
    [
      'omits an empty $unset, which the database would refuse',
      {},
      { updatedAt: new Date(0) },
      { $set: { updatedAt: new Date(0) } },
    ],
    [
      'sets only the changed values within objects',
      { flow: { isActive: true, since: time } },
      { flow: { isActive: false, since: time } },
      { $set: { 'flow.isActive': false } },
    ],
    [
      'sets only the changed values within a list of the same length',
      { list: [item, Number.NaN, null] },
      { list: [changed, Number.NaN, null] },
      { $set: { 'list.0.status': 'changed' } },
    ],
    [
      'sets only the changed and new values within a longer list',
      { list: [item, Number.NaN, null] },
      { list: [{ ...changed, history: ['a', 'b'] }, Number.NaN, null, 'new'] },
      { $set: { 'list.0.status': 'changed', 'list.0.history.1': 'b', 'list.3': 'new' } },
    ],
  ])('%s', (_title, before, after, update) => {
    const change = { before: documentWith(before), after: documentWith(after) };
    expect(buildWrite(change)).toStrictEqual({ _id: stored._id, update });
  });

  it.each<[unknown, unknown]>([
    [['a', 'b'], ['a']],
    [null, ['a']],
    [{ a: 1 }, ['a']],
    [[{ a: 1 }], { 0: 'a' }],
    [time, { a: 1 }],
    [{ a: 1 }, new ObjectId('6740b1f2c3d4e5f607182930')],
  ])('sets the whole value when %j becomes %j', (from, to) => {
    const change = { before: documentWith({ list: from }), after: documentWith({ list: to }) };
    expect(buildWrite(change)).toMatchObject({ update: { $set: { list: to } } });
  });
});
