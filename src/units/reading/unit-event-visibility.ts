import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { asId, asTime } from '../../core/database/documents/stored-values.js';
import { isStoredObject, asObject } from '../../core/values/json.js';
import {
  EventVisibility,
  type FeedEvent,
  type ShowEvents,
} from '../../events/feed/event-visibility.js';
import { objectIdOf } from '../../events/outbox/message.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { CatalogueVisibilityService } from '../../catalogue/visibility/catalogue-visibility.service.js';
import type { HiddenParts } from '../../catalogue/visibility/hidden-parts.js';

const removal = 'unit.deleted';

/**
 * Judges an event by its own data, and by the present state of its unit and compound (rule FEED-5): an event from before
 * the compound was hidden must not show the unit either.
 */
@Injectable()
export class UnitEventVisibility extends EventVisibility {
  constructor(
    private readonly catalogue: CatalogueRepository,
    private readonly visibility: CatalogueVisibilityService,
  ) {
    super();
  }

  override storedTypes(types: readonly string[]): readonly string[] {
    return types.includes(removal) ? [...new Set([...types, 'unit.updated'])] : types;
  }

  override showTo(organizationId: Types.ObjectId): ShowEvents {
    let hidden: HiddenParts | undefined;
    return async (events) => {
      const unitIds = events.filter(isOfUnit).flatMap((event) => {
        const id = parseObjectId(objectIdOf(event) ?? '');
        return id === null ? [] : [id];
      });
      if (!events.some(isOfUnit)) return events;
      hidden ??= await this.visibility.hiddenParts(organizationId);
      const hiddenUnits = await this.hiddenUnits(organizationId, unitIds, hidden);
      return events.map((event) => shownEvent(event, hidden as HiddenParts, hiddenUnits));
    };
  }

  private async hiddenUnits(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    hidden: HiddenParts,
  ): Promise<ReadonlySet<string>> {
    const units = await this.catalogue.unitOwners(organizationId, ids);
    return new Set(
      units.filter((unit) => hidden.hidesUnit(unit)).map(({ _id }) => _id.toHexString()),
    );
  }
}

function isOfUnit({ type }: FeedEvent): boolean {
  return type.startsWith('unit.');
}

/** A hidden unit may be in the reader's copy, unless the event only creates it. */
function shownEvent(
  event: FeedEvent,
  hidden: HiddenParts,
  hiddenUnits: ReadonlySet<string>,
): FeedEvent | null {
  if (!isOfUnit(event)) return event;
  const { changes, ...rest } = event;
  const data = asObject(event.data);
  const _id = asId(data['_id']);
  if (hidden.hidesUnit(data) || hiddenUnits.has(_id)) {
    if (event.type === 'unit.created') return null;
    const removed = { _id, isDeleted: true, updatedAt: asTime(data['updatedAt']) };
    return { ...rest, type: removal, data: removed };
  }
  const { phase, unitDesign } = data;
  const shown = {
    ...data,
    ...(isStoredObject(phase) && { phase: hidden.partOf('phases', phase) }),
    ...(isStoredObject(unitDesign) && { unitDesign: hidden.partOf('unitDesigns', unitDesign) }),
  };
  const shownChanges = changes && { changes: wasHidden(changes, hidden) ? [] : changes };
  return { ...rest, data: shown, ...shownChanges };
}

/** The earlier values of a unit that was hidden before the change stay hidden. */
function wasHidden(changes: readonly object[], hidden: HiddenParts): boolean {
  const before = changes.map((change) => {
    const { field, from } = asObject(change);
    return [String(field), from];
  });
  return hidden.hidesUnit(Object.fromEntries(before) as object);
}
