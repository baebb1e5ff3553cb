import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { withinDeadline } from './deadline.js';

@Injectable()
export class DatabasePing {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Whether a server that takes writes responds within a number of milliseconds. */
  async hasPrimary(milliseconds: number): Promise<boolean> {
    const { isWritablePrimary } = (await this.respond({ hello: 1 }, milliseconds)) ?? {};
    return isWritablePrimary === true;
  }

  /** Whether the database responds to a ping within a number of milliseconds. */
  async respondsWithin(milliseconds: number): Promise<boolean> {
    return (await this.respond({ ping: 1 }, milliseconds)) !== null;
  }

  /** The response to a command, null without one in time. */
  private async respond(command: object, milliseconds: number) {
    try {
      const { db } = this.connection;
      return db === undefined ? null : await withinDeadline(db.command(command), milliseconds);
    } catch {
      return null;
    }
  }
}
