import { Types } from 'mongoose';

/** The id with these 24 hexadecimal digits, null for any other text. */
export function parseObjectId(text: string): Types.ObjectId | null {
  return /^[0-9a-f]{24}$/i.test(text) ? new Types.ObjectId(text) : null;
}
