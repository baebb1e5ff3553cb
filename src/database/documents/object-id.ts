import { Types } from 'mongoose';

/** The id that 24 hexadecimal digits stand for, null for any other text. */
export function parseObjectId(text: string): Types.ObjectId | null {
  return /^[0-9a-f]{24}$/i.test(text) ? new Types.ObjectId(text) : null;
}
