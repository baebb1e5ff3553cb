import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { ConsoleSessionDocument } from './console-session.schema.js';

type Filter = Pick<ConsoleSessionDocument, '_id' | 'kind' | 'password'>;

@Injectable()
export class ConsoleSessionsRepository {
  constructor(
    @InjectModel('ConsoleSession') private readonly sessions: Model<ConsoleSessionDocument>,
  ) {}

  async add(session: ConsoleSessionDocument): Promise<void> {
    await this.sessions.insertMany([session], { lean: true });
  }

  /** Ended sessions stay in the database for up to a minute. */
  async isOpen(session: Filter, now: Date): Promise<boolean> {
    return (await this.sessions.exists({ ...session, expiresAt: { $gt: now } })) !== null;
  }

  /** @returns whether it was open, which is true for only one of several calls */
  async end(session: Filter, now: Date): Promise<boolean> {
    const open = { ...session, expiresAt: { $gt: now } };
    const { deletedCount } = await this.sessions.deleteOne(open);
    return deletedCount === 1;
  }
}
