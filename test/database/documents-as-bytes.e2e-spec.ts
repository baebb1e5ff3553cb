import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type MongoServerError, Timestamp } from 'mongodb';
import { Types } from 'mongoose';
import {
  collectionToken,
  type TenantCollection,
} from '../../src/core/database/documents/tenant-collection.js';
import type { UserDocument } from '../../src/tenants/organizations/users.repository.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

it('returns a readable server error while documents are read as bytes', async () => {
  const users = service.service.app.get<TenantCollection<UserDocument>>(collectionToken('User'));
  const filter = { name: { $unknown: 1 } } as never;
  const reading = users.batches(new Types.ObjectId(), filter);
  const error: unknown = await reading.next().catch((reason: unknown) => reason);
  const { code, errorResponse } = error as MongoServerError;
  expect(code).toBe(2);
  // Nested fields of the reply, such as the cluster time.
  const { clusterTime } = errorResponse['$clusterTime'] as { clusterTime: unknown };
  expect(clusterTime).toBeInstanceOf(Timestamp);
});
