import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { buildWrite } from './document-diff.js';
import { StoredTypes } from './stored-types.js';

interface Document {
  readonly _id: ObjectId;
  readonly organizationId: ObjectId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly status?: string;
  readonly approvedAt?: Date;
  readonly canceledAt?: Date;
  readonly list?: readonly unknown[];
  readonly flow?: Readonly<Record<string, unknown>>;
}

const time = new Date();
const stored: Document = {
  _id: new ObjectId(),
  organizationId: new ObjectId(),
  createdAt: time,
  updatedAt: time,
  status: 'approved',
  approvedAt: time,
};

describe('buildWrite', () => {
  it('inserts a new document', () => {
    expect(buildWrite({ before: undefined, after: stored })).toEqual({ insert: stored });
  });

  it('sets changed fields and removes missing ones', () => {
    const { approvedAt, ...fields } = stored;
    const after = { ...fields, status: 'canceled', canceledAt: time };
    expect(buildWrite({ before: stored, after })).toStrictEqual({
      _id: stored._id,
      update: { $set: { status: 'canceled', canceledAt: approvedAt }, $unset: { approvedAt: '' } },
    });
  });

  it('omits an empty removal, which the database would reject', () => {
    const updatedAt = new Date(0);
    expect(buildWrite({ before: stored, after: { ...stored, updatedAt } })).toStrictEqual({
      _id: stored._id,
      update: { $set: { updatedAt } },
    });
  });

  it('sets only the changed values within objects and lists', () => {
    const first = { status: 'pending', dueDate: new Date(Number.NaN), history: ['a'] };
    const listed = {
      ...stored,
      list: [first, Number.NaN, null],
      flow: { isActive: true, since: time },
    };
    const after = {
      ...listed,
      list: [{ ...first, status: 'bounced', history: ['a', 'b'] }, Number.NaN, null, 'new'],
      flow: { isActive: false, since: time },
    };
    expect(buildWrite({ before: listed, after })).toStrictEqual({
      _id: stored._id,
      update: {
        $set: {
          'list.0.status': 'bounced',
          'list.0.history.1': 'b',
          'list.3': 'new',
          'flow.isActive': false,
        },
      },
    });
    const list = [{ ...first, status: 'bounced' }, Number.NaN, null];
    expect(buildWrite({ before: listed, after: { ...listed, list } })).toStrictEqual({
      _id: stored._id,
      update: { $set: { 'list.0.status': 'bounced' } },
    });
  });

  it('sets a whole value when its type changes or a list becomes shorter', () => {
    for (const [from, to] of [
      [['a', 'b'], ['a']],
      [null, ['a']],
      [{ a: 1 }, ['a']],
      [[{ a: 1 }], { 0: 'a' }],
      [time, { a: 1 }],
      [{ a: 1 }, new ObjectId()],
    ] as [never, never][]) {
      const change = { before: { ...stored, list: from }, after: { ...stored, list: to } };
      expect(buildWrite(change)).toMatchObject({ update: { $set: { list: to } } });
    }
  });

  it('sets a whole list when ignored items of other types shift its positions', () => {
    const types = new StoredTypes(new Schema({ list: [String] }), 'units');
    const [before] = types.read<Document>([{ ...stored, list: [7, 'a'] }]);
    const change = { before, after: { ...stored, list: ['a', 'b'] } };
    expect(before?.list).toEqual(['a']);
    expect(buildWrite(change)).toMatchObject({ update: { $set: { list: ['a', 'b'] } } });
  });
});
