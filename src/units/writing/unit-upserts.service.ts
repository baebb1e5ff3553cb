import { Injectable } from '@nestjs/common';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { upsertStatus } from '../../core/http/server/upsert-status.js';
import type { Answer } from '../../core/idempotency/idempotency-claim.js';
import { type GroupCommit, GroupCommits } from '../../core/writes/group-commit.js';
import type { Decided } from '../../core/writes/write-kind.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { unitErrors } from '../unit-errors.js';
import type { UnitDto, UnitUpsertResponseDto, UpsertUnitDto } from '../unit.dto.js';
import { UnitPresenter } from '../unit.presenter.js';
import { decideUnit, type UnitDecision, type UnitRequest } from './unit-decision.js';
import { UnitWritesService } from './unit-writes.service.js';
import { UnitRecordsLoader } from './unit-records-loader.js';
import type { UnitRecords } from './unit-records.js';

type UnitResponse = Required<Omit<Answer<UnitUpsertResponseDto>, 'headers'>>;

/** Upserts units of outside systems (rules UNIT-1 and UNIT-2). */
@Injectable()
export class UnitUpsertsService {
  private readonly commit: GroupCommit<UnitRequest, UnitRecords, UnitDecision, UnitResponse>;

  constructor(
    commits: GroupCommits,
    loader: UnitRecordsLoader,
    writes: UnitWritesService,
    private readonly presenter: UnitPresenter,
  ) {
    this.commit = commits.of({
      name: 'unit',
      load: (requests, options) => loader.load(requests, options),
      decide,
      store: ({ changes, loaded: { organizationId, now } }) =>
        writes.store(organizationId, changes, now),
      respond: (decided) => this.respond(decided),
    });
  }

  /** @throws DomainError 400 for an unknown name or ambiguous ids, 404 if there is no unit to retire */
  async upsert(caller: Caller, input: UpsertUnitDto): Promise<UnitUpsertResponseDto> {
    if (input.recordSystemId === undefined && input.unitId === undefined) {
      throw new DomainError(unitErrors.idRequired);
    }
    return (await this.commit.submit({ caller, input }, input)).body;
  }

  /** Presents units of one language together: one query per kind, however many requests. */
  private async respond(
    decided: readonly Decided<UnitRequest, UnitDecision>[],
  ): Promise<UnitResponse[]> {
    const responses = new Map<UnitDecision, UnitResponse>();
    const byLanguage = Map.groupBy(decided, ({ request }) => request.caller.language);
    for (const [language, ofLanguage] of byLanguage) {
      const units = ofLanguage.map(({ decision }) => decision.unit);
      const { organizationId } = units[0] as UnitDocument;
      const presented = await this.presenter.presentAll({ organizationId, language }, units);
      for (const [index, { decision }] of ofLanguage.entries()) {
        const { operation } = decision;
        const body = { ok: true, operation, unit: presented[index] as UnitDto } as const;
        responses.set(decision, { status: upsertStatus(operation), body });
      }
    }
    return decided.map(({ decision }) => responses.get(decision) as UnitResponse);
  }
}

function decide(records: UnitRecords, request: UnitRequest): UnitDecision {
  const decision = decideUnit(records, request);
  if (decision.change !== undefined) records.put(decision.change);
  return decision;
}
