import type { Types } from 'mongoose';

/** What requests about the reservations of one unit wait for inside a process. */
export function unitQueueKey(unitId: Types.ObjectId): string {
  return `unit:${unitId.toHexString()}`;
}
