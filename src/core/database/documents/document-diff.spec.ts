import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { buildWrite } from './document-diff.js';

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

describe('writeOf', () => {
  it('stores a new document as it is', () => {
    expect(buildWrite({ before: undefined, after: stored })).toEqual({ insert: stored });
  });

  it('sets what differs, and removes what is there no more', () => {
    const { approvedAt, ...fields } = stored;
    const after = { ...fields, status: 'canceled', canceledAt: time };
    expect(buildWrite({ before: stored, after })).toStrictEqual({
      _id: stored._id,
      update: { $set: { status: 'canceled', canceledAt: approvedAt }, $unset: { approvedAt: '' } },
    });
  });

  it('removes nothing where all is there still: the database takes no empty removal', () => {
    const updatedAt = new Date(0);
    expect(buildWrite({ before: stored, after: { ...stored, updatedAt } })).toStrictEqual({
      _id: stored._id,
      update: { $set: { updatedAt } },
    });
  });

  it('sets within objects and lists what differs, and nothing else', () => {
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
  });

  it('sets a value as a whole where it was another kind of value, or a longer list', () => {
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
});
