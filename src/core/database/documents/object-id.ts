import { Types } from 'mongoose';
import { isObjectId } from '../../values/text.js';

export function parseObjectId(text: string): Types.ObjectId | null {
  return isObjectId(text) ? new Types.ObjectId(text) : null;
}
