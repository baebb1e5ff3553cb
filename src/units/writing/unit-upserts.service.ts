import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { type UpsertResponse, upsertResponse } from '../../core/http/api-documentation.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { unitErrors } from '../unit-errors.js';
import type { UnitUpsertResponseDto, UpsertUnitDto } from '../unit.dto.js';
import { UnitPresenter } from '../unit.presenter.js';
import { decideUnit } from './unit-decision.js';
import { UnitWorkingSetLoader } from './unit-working-set.loader.js';
import { UnitWritesService } from './unit-writes.service.js';

@Injectable()
export class UnitUpsertsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: IdempotencyService,
    private readonly loader: UnitWorkingSetLoader,
    private readonly writes: UnitWritesService,
    private readonly presenter: UnitPresenter,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 400 for an unknown name or ambiguous ids, 404 if there is no unit to retire */
  async upsert(
    caller: Caller,
    input: UpsertUnitDto,
  ): Promise<UpsertResponse<UnitUpsertResponseDto>> {
    if (input.recordSystemId === undefined && input.unitId === undefined) {
      throw new DomainError(unitErrors.idRequired);
    }
    const { organizationId, expiresAt } = caller;
    const upsert = async () => {
      const now = this.clock.now();
      const workingSet = await this.loader.load(caller, input, now);
      const { operation, unit, change } = decideUnit(workingSet, { caller, input });
      if (change !== undefined) await this.writes.store(organizationId, [change], now);
      const response = upsertResponse(operation, {
        unit: await this.presenter.present(caller, unit),
      });
      await this.idempotency.complete(caller, response, now);
      return response;
    };
    const record = `unit ${input.recordSystemId ?? input.unitId}`;
    return this.transactions.run(upsert, { expiresAt, oneAtATime: { organizationId, record } });
  }
}
