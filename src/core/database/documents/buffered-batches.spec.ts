import { expect, it, jest } from '@jest/globals';
import type { AbstractCursor } from 'mongodb';
import { bufferedBatches } from './buffered-batches.js';

it('a cursor is closed when its reader has had enough', async () => {
  const close = jest.fn(async () => undefined);
  const readBufferedDocuments = jest.fn((most?: number) => [most]);
  const cursor = { hasNext: async () => true, readBufferedDocuments, close };
  for await (const batch of bufferedBatches(cursor as unknown as AbstractCursor<number>, 7)) {
    expect(batch).toEqual([7]);
    break;
  }
  expect([readBufferedDocuments.mock.calls.length, close.mock.calls.length]).toEqual([1, 1]);
});
