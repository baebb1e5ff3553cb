import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { present } from '../../catalogue/presenting/present.js';
import { type FieldChange, fieldChanges } from '../../tenants/change-log/field-changes.js';
import { idOf } from '../../core/database/documents/stored-values.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { objectOf } from '../../core/values/plain-object.js';
import { Outbox } from '../../events/outbox/outbox.js';
import type { OutboundEvent } from '../../events/outbox/pending-event.js';
import { UnitFieldsDto } from '../unit.dto.js';
import { UnitPresenter } from '../unit.presenter.js';

/** Two states of a unit. */
export interface UnitUpdate {
  readonly before: UnitDocument;
  readonly after: UnitDocument;
}

/** A change that a request made of a unit. */
export interface RequestedUpdate extends UnitUpdate {
  readonly requestId: string;
}

/** Publishes the events of a unit, inside the transaction of the change (rule UNIT-4). */
@Injectable()
export class UnitEvents {
  constructor(
    private readonly outbox: Outbox,
    private readonly presenter: UnitPresenter,
  ) {}

  async created(unit: UnitDocument, requestId: string): Promise<void> {
    const data = await this.presenter.present(unit, defaultLanguage);
    await this.outbox.publish(unit.organizationId, { type: 'unit.created', data, requestId });
  }

  /** The events of many units of an organization, none of which was retired. */
  async imported(
    organizationId: Types.ObjectId,
    created: readonly UnitDocument[],
    updated: readonly UnitUpdate[],
  ): Promise<void> {
    const units = [...created, ...updated.map(({ after }) => after)];
    const reader = { organizationId, language: defaultLanguage };
    const presented = await this.presenter.presentAll(reader, units);
    const events = presented.map((data, index): OutboundEvent => {
      const update = updated[index - created.length];
      if (update === undefined) return { type: 'unit.created', data };
      return { type: 'unit.updated', data, changes: unitChanges(update.before, update.after) };
    });
    await this.outbox.publishAll(organizationId, events);
  }

  /** Publishes nothing where nothing differs. */
  async updated(before: UnitDocument, after: UnitDocument, requestId: string): Promise<void> {
    const event = await this.eventOf(before, after, requestId);
    if (event !== null) await this.outbox.publish(after.organizationId, event);
  }

  /** The event of a change, null where nothing differs; a unit that is retired by it was deleted. */
  async eventOf(
    before: UnitDocument,
    after: UnitDocument,
    requestId: string,
  ): Promise<OutboundEvent | null> {
    const changes = unitChanges(before, after);
    if (changes.length === 0) return null;
    const data = await this.presenter.present(after, defaultLanguage);
    return after.isDeleted
      ? { type: 'unit.deleted', data, requestId }
      : { type: 'unit.updated', data, changes, requestId };
  }
}

/** The differences between two states of a unit; a name's language by language. */
export function unitChanges(before: UnitDocument, after: UnitDocument): FieldChange[] {
  return fieldChanges(auditedFields(before), auditedFields(after), new Set(['name']));
}

function auditedFields(unit: UnitDocument): Record<string, unknown> {
  const { updatedAt: _updatedAt, ...fields } = present(UnitFieldsDto, unit, defaultLanguage);
  return { ...fields, compoundId: idOf(unit.compoundId), name: objectOf(unit.name) };
}
