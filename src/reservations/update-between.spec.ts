import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { writeOf } from './update-between.js';

interface Document {
  readonly _id: ObjectId;
  readonly organizationId: ObjectId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly status?: string;
  readonly approvedAt?: Date;
  readonly canceledAt?: Date;
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
    expect(writeOf({ before: undefined, after: stored })).toEqual({ insert: stored });
  });

  it('sets what differs, and removes what is there no more', () => {
    const { approvedAt, ...fields } = stored;
    const after = { ...fields, status: 'canceled', canceledAt: time };
    expect(writeOf({ before: stored, after })).toStrictEqual({
      _id: stored._id,
      update: { $set: { status: 'canceled', canceledAt: approvedAt }, $unset: { approvedAt: '' } },
    });
  });

  it('removes nothing where all is there still: the database takes no empty removal', () => {
    const updatedAt = new Date(0);
    expect(writeOf({ before: stored, after: { ...stored, updatedAt } })).toStrictEqual({
      _id: stored._id,
      update: { $set: { updatedAt } },
    });
  });
});
