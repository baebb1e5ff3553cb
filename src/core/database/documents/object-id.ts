import { Types } from 'mongoose';
import { isObjectId } from '../../values/text.js';

/** The id with these 24 hexadecimal digits, null for any other text. */
export function parseObjectId(text: string): Types.ObjectId | null {
  return isObjectId(text) ? new Types.ObjectId(text) : null;
}
