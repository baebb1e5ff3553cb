import { Injectable } from '@nestjs/common';
import { type FieldChange, fieldChanges } from '../../change-log/field-changes.js';
import { idOf, recordOf } from '../../database/documents/stored-values.js';
import { defaultLanguage } from '../../localization/language.js';
import { Outbox } from '../../webhooks/outbox/outbox.js';
import { UnitPresentationService } from '../reading/unit-presentation.service.js';
import { presentUnitFields } from '../reading/unit.presenter.js';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';

/** Tells the subscribers what happened to a unit, inside the transaction of the change. */
@Injectable()
export class UnitEventsService {
  constructor(
    private readonly outbox: Outbox,
    private readonly presentation: UnitPresentationService,
  ) {}

  /** A unit that is new. */
  async created(unit: UnitDocument): Promise<void> {
    const data = await this.presentation.present(unit, defaultLanguage);
    await this.outbox.publish(unit.organizationId, { type: 'unit.created', data });
  }

  /** A unit that has changed; one in which nothing differs is not told. */
  async updated(before: UnitDocument, after: UnitDocument): Promise<void> {
    const changes = unitChanges(before, after);
    if (changes.length === 0) return;
    const data = await this.presentation.present(after, defaultLanguage);
    await this.outbox.publish(after.organizationId, { type: 'unit.updated', data, changes });
  }
}

/** The differences between two states of a unit; a name's language by language. */
export function unitChanges(before: UnitDocument, after: UnitDocument): FieldChange[] {
  return fieldChanges(toldPart(before), toldPart(after), ['name']);
}

function toldPart(unit: UnitDocument): Record<string, unknown> {
  const { updatedAt: _updatedAt, ...fields } = presentUnitFields(unit, defaultLanguage);
  return { ...fields, compoundId: idOf(unit.compoundId), name: recordOf(unit.name) };
}
