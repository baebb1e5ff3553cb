import { expect, it } from '@jest/globals';
import type { ChangeStreamOptions, Document } from 'mongodb';
import { type Change, ChangeWatcher } from '../../src/core/database/changes/change-watcher.js';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();

it('are watched anew when the collection was dropped', async () => {
  const collection = service.db.collection('changesTest');
  const changes: unknown[] = [];
  let opened = 0;
  const open = (options: ChangeStreamOptions) => {
    opened++;
    return collection.watch<Document, Change>([], options);
  };
  const watcher = new ChangeWatcher(service.db.client, 'a test', open, 50);
  watcher.start({ onChange: (change) => changes.push(change['operationType']) });
  try {
    await eventually(() => expect(watcher.silentMs).toBeLessThan(1_000));
    await collection.insertOne({ by: 'another program' });
    await collection.drop();
    await eventually(() => expect(opened).toBe(2), 10_000);
    await eventually(async () => {
      await collection.insertOne({ by: 'another program' });
      expect(changes.at(-1)).toBe('insert');
      expect(changes).toContain('drop');
    });
  } finally {
    await watcher.stop();
    await collection.drop();
  }
});
