import { describe, expect, it } from '@jest/globals';
import { MongoBulkWriteError, MongoNetworkError } from 'mongodb';
import { Types } from 'mongoose';
import type { DeliveryUpdate } from './delivery-documents.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';

interface UpdateMany {
  readonly filter: { readonly _id: { readonly $in: readonly Types.ObjectId[] } };
}

/** A queue whose database may refuse deliveries, or fail; and the statements that it was sent. */
function queueThat(options: {
  refuses?: readonly unknown[];
  failsFirst?: boolean;
  misses?: number;
}) {
  const statements: number[][] = [];
  let isFailing = options.failsFirst ?? false;
  const bulkWrite = async (operations: readonly { readonly updateMany: UpdateMany }[]) => {
    const ids = operations.map(({ updateMany }) => updateMany.filter._id.$in);
    statements.push(ids.map(({ length }) => length));
    if (isFailing) {
      isFailing = false;
      throw new MongoNetworkError('reset');
    }
    const writeErrors = ids.flatMap((group, index) =>
      group.some((id) => options.refuses?.includes(id))
        ? [{ index, code: 121, errmsg: 'refused' }]
        : [],
    );
    if (writeErrors.length > 0) {
      const message = { message: 'refused', writeErrors } as never;
      throw new MongoBulkWriteError(message, {} as never);
    }
    return { matchedCount: ids.flat().length - (options.misses ?? 0) };
  };
  const queue = new DeliveryQueueRepository({ acrossTenants: { bulkWrite } } as never);
  return { queue, statements };
}

const updates = (count: number, set: DeliveryUpdate['set'] = { attempts: 1 }): DeliveryUpdate[] =>
  Array.from({ length: count }, () => ({ _id: new Types.ObjectId(), leaseOwner: 'a', set }));

const allStored = { refused: [], hasFoundAll: true };

describe('deliveries that are finished', () => {
  it('in the same way are stored by one statement', async () => {
    const { queue, statements } = queueThat({});
    const others = updates(2, { attempts: 3 });
    expect(await queue.finish([...updates(40), ...others])).toEqual(allStored);
    expect(statements).toEqual([[40, 2]]);
    expect(await queue.finish([])).toEqual(allStored);
  });

  it('beside one that is refused are stored nevertheless, and that one is told', async () => {
    const all = [...updates(3, { attempts: 2 }), ...updates(3)];
    const { queue, statements } = queueThat({ refuses: [all[4]?._id] });
    const { refused } = await queue.finish(all);
    expect(refused).toEqual([{ index: 4, code: 121, reason: 'refused' }]);
    expect(statements).toEqual([
      [3, 3],
      [1, 1, 1],
    ]);
  });

  it('are stored once more when the connection breaks', async () => {
    const { queue, statements } = queueThat({ failsFirst: true });
    expect(await queue.finish(updates(2))).toEqual(allStored);
    expect(statements).toEqual([[2], [2]]);
  });

  it('are told when one was not there as it was leased', async () => {
    const { queue } = queueThat({ misses: 1 });
    expect(await queue.finish(updates(2))).toEqual({ refused: [], hasFoundAll: false });
  });
});
