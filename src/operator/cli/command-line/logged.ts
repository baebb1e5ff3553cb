import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { OperatorRequest } from '../../audit/operator-log.service.js';

interface LoggedAction extends Pick<OperatorRequest, 'action' | 'subject'> {
  /** What it is done to; the database where it is done to all that it holds. */
  readonly to?: { readonly _id: Types.ObjectId | string; readonly organizationId: Types.ObjectId };
  /** What else there is to say; nothing personal. */
  readonly details?: string | undefined;
}

/**
 * Does work and logs it before, as the console does (rule OPS-31): who looks into the log sees what was done
 * on the command line, too. Nothing is done that cannot be logged.
 */
export async function logged<T>(
  application: INestApplicationContext,
  { action, subject, to, details = '' }: LoggedAction,
  work: () => Promise<T>,
): Promise<T> {
  const { OperatorLogService, wholeDatabase } = await import('../../audit/operator-log.service.js');
  const log = application.get(OperatorLogService, { strict: false });
  const { _id, organizationId } = to ?? wholeDatabase;
  const results: T[] = [];
  const request = {
    action,
    subject,
    subjectId: String(_id),
    organizationId,
    details: details || null,
    formId: randomUUID(),
    address: 'command line',
    session: `${userName()}@${hostname()}`,
  };
  await log.perform(request, async () => {
    const result = await work();
    results.push(result);
    return typeof result === 'number' ? result : null;
  });
  return results[0] as T;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
