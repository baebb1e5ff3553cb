import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { Types } from 'mongoose';
import { parseObjectId } from '../../../core/database/documents/tenant-document.js';
import type { OrganizationDocument } from '../../../tenants/organizations/organization.schema.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import { type OperatorAction, operatorActions } from '../../operator-log/operator-actions.js';
import { OperatorLogService, wholeDatabase } from '../../operator-log/operator-log.service.js';

interface Subject {
  readonly _id: Types.ObjectId | string;
  readonly organizationId?: Types.ObjectId;
}

export class CommandContext {
  constructor(
    private readonly application: INestApplicationContext,
    readonly isJson: boolean,
  ) {}

  get<T>(part: Type<T>): T {
    return this.application.get(part);
  }

  /** @throws Error unless exactly one organization has the id, or the name in any case */
  async organization(idOrName: string): Promise<OrganizationDocument> {
    const organizations = this.get(OrganizationsRepository);
    const _id = parseObjectId(idOrName);
    const found = _id ? organizations.list({ _id }) : organizations.listCalled(idOrName);
    return exactlyOne(
      await found,
      `organization ${_id ? 'with id' : 'called'} ${idOrName}`,
      '`org list` lists the organizations',
    );
  }

  /**
   * Logs an action before it happens, as the console does (rule OPS-31); without a log entry nothing happens.
   *
   * @param subject null for the whole database
   */
  async audit<T>(
    action: OperatorAction,
    subject: Subject | null,
    work: () => Promise<T>,
    details = '',
  ): Promise<T> {
    const { _id, organizationId }: Subject = subject ?? wholeDatabase;
    const request = {
      action,
      subject: operatorActions[action],
      subjectId: String(_id),
      organizationId: organizationId ?? new Types.ObjectId(_id),
      details: details || null,
      formId: randomUUID(),
      address: 'command line',
      session: `${userName()}@${hostname()}`,
    };
    return (await this.get(OperatorLogService).perform(request, work)) as T;
  }
}

/** @throws Error with `described`, such as `key with prefix iapi_1`, unless exactly one was found */
export function exactlyOne<T extends { readonly _id: Types.ObjectId | string }>(
  found: readonly T[],
  described: string,
  next: string,
): T {
  const [first, ...others] = found;
  if (first === undefined) throw new Error(`There is no ${described}: ${next}.`);
  if (others.length === 0) return first;
  const ids = found.map(({ _id }) => String(_id)).join(', ');
  throw new Error(`There is more than one ${described}. Use one of these ids: ${ids}.`);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
