import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { withinDeadline } from './database-errors.js';

@Injectable()
export class DatabasePing {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  async hasPrimary(milliseconds: number): Promise<boolean> {
    const { isWritablePrimary } = (await this.respond({ hello: 1 }, milliseconds)) ?? {};
    return isWritablePrimary === true;
  }

  async respondsWithin(milliseconds: number): Promise<boolean> {
    return (await this.respond({ ping: 1 }, milliseconds)) !== null;
  }

  /** Null without a response in time. */
  private async respond(command: object, milliseconds: number) {
    try {
      const { db } = this.connection;
      return db === undefined ? null : await withinDeadline(db.command(command), milliseconds);
    } catch {
      return null;
    }
  }
}
