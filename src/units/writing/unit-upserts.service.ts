import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Caller } from '../../tenants/keys/caller.js';
import { Clock } from '../../core/configuration/clock.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import { upsertStatus } from '../../core/http/server/upsert-status.js';
import type { Language } from '../../core/localization/language.js';
import { unitErrors } from '../unit-errors.js';
import type { UpsertUnitDto } from './upsert-unit.dto.js';
import { newUnit } from './new-unit.js';
import { slugCandidates } from './slug.js';
import { unitChanges, UnitEvents } from './unit-events.js';
import { UnitLinks } from './unit-links.js';
import { requestFields } from './unit-merge.js';
import type { UnitUpsertResponseDto } from '../unit.dto.js';
import { UnitPresenter } from '../unit.presenter.js';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { UnitsRepository } from '../units.repository.js';

interface Saved {
  readonly operation: 'create' | 'update';
  readonly unit: UnitDocument;
}

/** Creates, updates and retires units of outside systems (rules UNIT-1 and UNIT-2). */
@Injectable()
export class UnitUpsertsService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly units: UnitsRepository,
    private readonly links: UnitLinks,
    private readonly events: UnitEvents,
    private readonly presenter: UnitPresenter,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a unit or updates the one with the same `recordSystemId`, else `unitId`, in one
   * transaction with its event.
   *
   * @throws DomainError 400 for a name that resolves to nothing or an id that does not identify one unit,
   *   404 when there is no unit to retire
   */
  async upsert(caller: Caller, input: UpsertUnitDto): Promise<UnitUpsertResponseDto> {
    if (input.recordSystemId === undefined && input.unitId === undefined) {
      throw new DomainError(unitErrors.idRequired);
    }
    const { body } = await this.idempotency.run(
      caller.claim,
      () => this.save(caller, input),
      (saved) => this.answerOf(saved, caller.language),
      { queueKeys: queueKeys(caller, input), expiresAt: caller.expiresAt },
    );
    return body;
  }

  private async answerOf({ operation, unit }: Saved, language: Language) {
    const presented = await this.presenter.present(unit, language);
    const body: UnitUpsertResponseDto = { ok: true, operation, unit: presented };
    return { status: upsertStatus(operation), body };
  }

  private async save(caller: Caller, input: UpsertUnitDto): Promise<Saved> {
    const { organizationId } = caller;
    const compoundId = await this.links.compoundOf(organizationId, input);
    const stored = await this.find(organizationId, input, compoundId);
    if (stored === null && input.isDeleted) throw new DomainError(unitErrors.noneToDelete);
    if (stored === null && compoundId === undefined) {
      throw new DomainError(unitErrors.compoundRequired);
    }
    const fields = {
      ...requestFields(input, stored, caller.language),
      ...(await this.links.resolve(organizationId, input, stored ?? {}, compoundId)),
    };
    await this.assertUnitIdFree(organizationId, { ...stored, ...fields }, stored?._id);
    return stored === null ? this.create(caller, fields) : this.update(caller, stored, fields);
  }

  /** By `recordSystemId`, else by `unitId`; a unit that has another external id is another unit. */
  private async find(
    organizationId: Types.ObjectId,
    { recordSystemId, unitId }: UpsertUnitDto,
    compoundId: Types.ObjectId | undefined,
  ): Promise<UnitDocument | null> {
    const known =
      recordSystemId === undefined
        ? null
        : await this.units.findByRecordSystemId(organizationId, recordSystemId);
    if (known !== null || unitId === undefined) return known;
    const [unit, ...others] = await this.units.findByUnitId(organizationId, unitId, compoundId);
    if (others.length > 0) throw new DomainError(unitErrors.ambiguous, { unitId });
    const belongsToAnotherRecord =
      recordSystemId !== undefined && typeof unit?.recordSystemId === 'string';
    return unit === undefined || belongsToAnotherRecord ? null : unit;
  }

  private async assertUnitIdFree(
    organizationId: Types.ObjectId,
    { unitId, compoundId }: Partial<UnitDocument>,
    own: Types.ObjectId | undefined,
  ): Promise<void> {
    if (typeof unitId !== 'string' || !compoundId) return;
    const unitsWithId = await this.units.findByUnitId(organizationId, unitId, compoundId);
    if (unitsWithId.some(({ _id }) => !own?.equals(_id)))
      throw new DomainError(unitErrors.unitIdTaken, { unitId });
  }

  private async create(caller: Caller, fields: Partial<UnitDocument>): Promise<Saved> {
    const { organizationId, requestId } = caller;
    const _id = new Types.ObjectId();
    const { unitId, recordSystemId } = fields;
    const standIn = unitId ?? recordSystemId ?? '';
    const named = { name: { 'en-us': standIn }, nameStandIn: standIn, ...fields, _id };
    const texts = [named.name?.['en-us'], unitId, recordSystemId];
    const slug = await this.freeSlug(organizationId, slugCandidates(texts, _id.toHexString()));
    const unit = newUnit(organizationId, { ...named, slug }, this.clock.now());
    await this.units.insert(unit);
    await this.events.created(unit, requestId);
    return { operation: 'create', unit };
  }

  private async update(
    { requestId }: Caller,
    stored: UnitDocument,
    fields: Partial<UnitDocument>,
  ): Promise<Saved> {
    const updatedAt = this.clock.now();
    const times = fields.isDeleted ? { updatedAt, deletedAt: updatedAt } : { updatedAt };
    const changed = { ...stored, ...fields, ...times };
    if (unitChanges(stored, changed).length === 0) {
      const { nameStandIn = null } = changed;
      // The default name was sent as it was shown: it stands by itself from now on.
      if ((stored.nameStandIn ?? null) !== nameStandIn)
        await this.units.setFields(stored, { nameStandIn });
      return { operation: 'update', unit: stored };
    }
    await this.units.setFields(stored, { ...fields, ...times });
    await this.events.updated(stored, changed, requestId);
    return { operation: 'update', unit: changed };
  }

  private async freeSlug(
    organizationId: Types.ObjectId,
    candidates: readonly string[],
  ): Promise<string> {
    const used = new Set(await this.units.usedSlugs(organizationId, candidates));
    return candidates.find((slug) => !used.has(slug)) ?? candidates.at(-1) ?? '';
  }
}

/** What simultaneous requests would contend for: the unit's ids, and the slug that its name makes. */
function queueKeys({ organizationId }: Caller, input: UpsertUnitDto): string[] {
  const { recordSystemId, unitId, name } = input;
  const keys = [
    ...(recordSystemId === undefined ? [] : [`record:${recordSystemId}`]),
    ...(unitId === undefined ? [] : [`unit:${unitId}`]),
    ...(name === undefined ? [] : [`name:${JSON.stringify(name)}`]),
  ];
  return keys.map((key) => `${organizationId.toHexString()}:${key}`);
}
