import { Types } from 'mongoose';
import { isObjectId } from '../../values/text.js';

/** Null for a text that is no 24 hexadecimal digits. */
export function parseObjectId(text: string): Types.ObjectId | null {
  return isObjectId(text) ? new Types.ObjectId(text) : null;
}
