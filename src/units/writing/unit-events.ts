import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { present } from '../../catalogue/fields/declared-fields.js';
import { type FieldChange, fieldChanges } from '../../tenants/change-log/field-changes.js';
import { idOf } from '../../core/database/documents/stored-values.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { objectOf } from '../../core/values/plain-object.js';
import type { OutboundEvent } from '../../events/outbox/pending-event.js';
import type { UnitDto } from '../unit.dto.js';
import { UnitPresenter } from '../unit.presenter.js';

/** A new unit, or a change of one. */
export interface UnitChange {
  /** Undefined of a new one. */
  readonly before: UnitDocument | undefined;
  readonly after: UnitDocument;
  /** Of the request that made it; an import has none. */
  readonly requestId?: string;
}

/** Makes the events of units (rule UNIT-4). */
@Injectable()
export class UnitEvents {
  constructor(private readonly presenter: UnitPresenter) {}

  /** The event of each change, undefined where nothing differs; a unit that is retired by it was deleted. */
  async of(
    organizationId: Types.ObjectId,
    changes: readonly UnitChange[],
  ): Promise<(OutboundEvent | undefined)[]> {
    const compared = changes.map((change) => ({
      ...change,
      changes: change.before && unitChanges(change.before, change.after),
    }));
    const shown = compared.filter((change) => change.changes?.length !== 0);
    const reader = { organizationId, language: defaultLanguage };
    const presented = await this.presenter.presentAll(
      reader,
      shown.map(({ after }) => after),
    );
    const events = new Map(shown.map((change, index) => [change, presented[index]]));
    return compared.map((change) => {
      const data = events.get(change);
      return data && eventOf(change, data);
    });
  }
}

function eventOf(
  {
    before,
    after,
    changes,
    requestId,
  }: UnitChange & { readonly changes?: FieldChange[] | undefined },
  data: UnitDto,
): OutboundEvent {
  const event = { data, ...(requestId === undefined ? {} : { requestId }) };
  if (before === undefined) return { type: 'unit.created', ...event };
  if (after.isDeleted) return { type: 'unit.deleted', ...event };
  return { type: 'unit.updated', ...event, ...(changes && { changes }) };
}

/** The differences between two states of a unit; a name's language by language. */
export function unitChanges(before: UnitDocument, after: UnitDocument): FieldChange[] {
  return fieldChanges(auditedFields(before), auditedFields(after), new Set(['name']));
}

function auditedFields(unit: UnitDocument): Record<string, unknown> {
  const { updatedAt: _updatedAt, ...fields } = present(UnitDocument, unit, defaultLanguage);
  return { ...fields, compoundId: idOf(unit.compoundId), name: objectOf(unit.name) };
}
