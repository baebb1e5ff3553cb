import { expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { messageOf } from './message.js';

it('messageOf returns the same bytes in every release', () => {
  const event = {
    _id: new Types.ObjectId('6b01b58d9ebbd158741896b9'),
    type: 'lead.updated',
    createdAt: new Date('2030-01-01T00:00:00.000Z'),
    data: {
      _id: '6740b1f2c3d4e5f607182941',
      leadId: 42,
      recordSystemId: null,
      data: { name: 'منى', note: 'a "b"\n\u0001', 2: 'second', budget: 1.5 },
      createdAt: new Date('2029-12-31T23:59:59.999Z'),
      isDeleted: false,
    },
    changes: [{ field: 'data.name', from: null, to: 'منى' }],
  };
  expect(messageOf(event)).toEqual({
    id: 'msg_6b01b58d9ebbd158741896b9',
    body:
      '{"type":"lead.updated","timestamp":"2030-01-01T00:00:00.000Z","data":{"_id":"6740b1f2c3d4e5f607182941",' +
      '"leadId":42,"recordSystemId":null,"data":{"2":"second","name":"منى","note":"a \\"b\\"\\n\\u0001",' +
      '"budget":1.5},"createdAt":"2029-12-31T23:59:59.999Z","isDeleted":false},' +
      '"changes":[{"field":"data.name","from":null,"to":"منى"}]}',
  });
  const { changes: _changes, ...created } = event;
  expect(messageOf({ ...created, type: 'lead.created', data: { _id: '1' } }).body).toBe(
    '{"type":"lead.created","timestamp":"2030-01-01T00:00:00.000Z","data":{"_id":"1"}}',
  );
});
