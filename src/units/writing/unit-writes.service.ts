import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { present } from '../../core/fields/declared-fields.js';
import { idOf } from '../../core/database/documents/stored-values.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { objectOf } from '../../core/values/json.js';
import { Outbox } from '../../events/outbox/outbox.js';
import type { OutboundEvent } from '../../events/outbox/pending-event.js';
import { type FieldChange, fieldChanges } from '../../tenants/change-log/field-changes.js';
import { UnitPresenter } from '../unit.presenter.js';
import { UnitsRepository } from '../units.repository.js';

export type { UnitDocument };

export interface UnitChange {
  /** Undefined for a new unit. */
  readonly before: UnitDocument | undefined;
  readonly after: UnitDocument;
  /** An import has none. */
  readonly requestId?: string;
}

/** Stores changes of units and publishes their events (rule UNIT-4). */
@Injectable()
export class UnitWritesService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly presenter: UnitPresenter,
    private readonly outbox: Outbox,
  ) {}

  /** Without deleted units. */
  async findAll(
    organizationId: Types.ObjectId,
    unitIds: readonly Types.ObjectId[],
  ): Promise<UnitDocument[]> {
    const units = await this.units.findByIds(organizationId, unitIds);
    return units.filter(({ isDeleted }) => !isDeleted);
  }

  /** Runs inside the open transaction. */
  async store(
    organizationId: Types.ObjectId,
    changes: readonly UnitChange[],
    now: Date,
  ): Promise<void> {
    await this.units.write(organizationId, changes);
    const events = await this.eventsOf(organizationId, changes);
    const published = events.flatMap((event) => event ?? []);
    await this.outbox.publish(organizationId, published, now);
  }

  /**
   * Writes units even if their status stays: the write is a lock, so that of concurrent decisions one commits
   * (rule DATA-8).
   */
  async storeStatuses(
    organizationId: Types.ObjectId,
    decisions: readonly UnitChange[],
  ): Promise<void> {
    await this.units.writeLocking(
      organizationId,
      decisions.map(({ before, after }) => {
        const { _id, status = '', updatedAt } = after;
        return { _id, fields: after === before ? {} : { status, updatedAt } };
      }),
    );
  }

  /** Undefined for changes without a difference (rule CALL-13). */
  async eventsOf(
    organizationId: Types.ObjectId,
    changes: readonly UnitChange[],
  ): Promise<(OutboundEvent | undefined)[]> {
    const compared = changes.map(({ before, after, requestId }) => ({
      after,
      changes: before && unitChanges(before, after),
      ...(requestId === undefined ? {} : { requestId }),
    }));
    const differing = compared.filter(({ changes: fields }) => fields?.length !== 0);
    const presented = await this.presenter.presentAll(
      { organizationId, language: defaultLanguage },
      differing.map(({ after }) => after),
    );
    const shown = new Map(differing.map((change, index) => [change, presented[index]]));
    return compared.map((change): OutboundEvent | undefined => {
      const { after, changes: fields, ...request } = change;
      const data = shown.get(change);
      if (data === undefined) return undefined;
      if (fields === undefined) return { type: 'unit.created', data, ...request };
      if (after.isDeleted) return { type: 'unit.deleted', data, ...request };
      return { type: 'unit.updated', data, ...request, changes: fields };
    });
  }
}

/** Compares names by language. */
export function unitChanges(before: UnitDocument, after: UnitDocument): FieldChange[] {
  return fieldChanges(auditedFields(before), auditedFields(after), new Set(['name']));
}

function auditedFields(unit: UnitDocument): Record<string, unknown> {
  const { updatedAt: _updatedAt, ...fields } = present(UnitDocument, unit, defaultLanguage);
  return { ...fields, compoundId: idOf(unit.compoundId), name: objectOf(unit.name) };
}
