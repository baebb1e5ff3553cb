import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { present } from '../../core/fields/declared-fields.js';
import { buildWrite } from '../../core/database/documents/document-diff.js';
import { asId } from '../../core/database/documents/stored-values.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { asObject } from '../../core/values/json.js';
import { Outbox } from '../../events/outbox/outbox.js';
import type { OutboundEvent } from '../../events/outbox/outbox.js';
import { type FieldChange, fieldChanges } from '../../tenants/change-log/field-changes.js';
import type { UnitDto } from '../unit.dto.js';
import { UnitsRepository } from '../units.repository.js';
import { UnitPresenter } from '../unit.presenter.js';

export type { UnitDocument };

export interface UnitChange {
  /** A new unit has no earlier state. */
  readonly before: UnitDocument | undefined;
  readonly after: UnitDocument;
  /** An import has no request id. */
  readonly requestId?: string;
}

/** Stores units and publishes the events of their changes (rule UNIT-4). */
@Injectable()
export class UnitWritesService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly presenter: UnitPresenter,
    private readonly outbox: Outbox,
  ) {}

  /** Omits deleted units. */
  async findAll(
    organizationId: Types.ObjectId,
    unitIds: readonly Types.ObjectId[],
  ): Promise<UnitDocument[]> {
    const units = await this.units.findByIds(organizationId, unitIds);
    return units.filter(({ isDeleted }) => !isDeleted);
  }

  /** Must run inside an open transaction. */
  async store(
    organizationId: Types.ObjectId,
    changes: readonly UnitChange[],
    now: Date,
  ): Promise<void> {
    await this.units.write(organizationId, changes.map(buildWrite));
    const events = await this.changeEvents(organizationId, changes);
    const published = events.flatMap((event) => event ?? []);
    await this.outbox.publish(organizationId, published, now);
  }

  /** Writes the unit even if its status stays: of concurrent decisions, only one then commits (rule DATA-8). */
  async storeStatus(organizationId: Types.ObjectId, { before, after }: UnitChange): Promise<void> {
    const { _id, status = '', updatedAt } = after;
    const changed = after === before ? {} : { status, updatedAt };
    const fields = { ...changed, availabilityLock: new Types.ObjectId() };
    await this.units.write(organizationId, [{ _id, fields }]);
  }

  /** Returns undefined for changes without a difference (rule CALL-13). */
  async changeEvents(
    organizationId: Types.ObjectId,
    changes: readonly UnitChange[],
  ): Promise<(OutboundEvent | undefined)[]> {
    const reader = { organizationId, language: defaultLanguage };
    const units = changes.map(({ after }) => after);
    const presented = await this.presenter.presentAll(reader, units);
    return changes.map(({ before, after, requestId }, index): OutboundEvent | undefined => {
      const data = presented[index] as UnitDto;
      const event = { data, ...(requestId !== undefined && { requestId }) };
      if (before === undefined) return { type: 'unit.created', ...event };
      const fields = unitChanges(before, after);
      if (fields.length === 0) return undefined;
      if (after.isDeleted) return { type: 'unit.deleted', ...event };
      return { type: 'unit.updated', ...event, changes: fields };
    });
  }
}

export function unitChanges(before: UnitDocument, after: UnitDocument): FieldChange[] {
  return fieldChanges(auditedFields(before), auditedFields(after), new Set(['name']));
}

function auditedFields(unit: UnitDocument): Record<string, unknown> {
  const { updatedAt: _updatedAt, ...fields } = present(UnitDocument, unit, defaultLanguage);
  return { ...fields, compoundId: asId(unit.compoundId), name: asObject(unit.name) };
}
