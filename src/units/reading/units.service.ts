import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../../authentication/caller.js';
import { compoundErrors } from '../../compounds/compound-errors.js';
import { CompoundsService } from '../../compounds/compounds.service.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { listText } from '../../http/lists/list-text.js';
import { type PageOf, pageOf, paginationOf } from '../../http/lists/pages.js';
import { unitErrors } from '../unit-errors.js';
import type { ListUnitsQuery } from './units.query.js';
import { sortOf, UnitFiltersService } from './unit-filters.service.js';
import { type PresentedUnit, UnitPresentationService } from './unit-presentation.service.js';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { UnitsRepository } from '../units.repository.js';

/** The units that CRMs poll (sections 4.4 and 4.5). */
@Injectable()
export class UnitsService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly compounds: CompoundsService,
    private readonly filters: UnitFiltersService,
    private readonly presentation: UnitPresentationService,
  ) {}

  /**
   * All units of a compound, newest first, as the parts of the answer's text.
   *
   * @throws DomainError 404 when there is no such compound
   */
  async ofCompound(caller: Caller, slug: string): Promise<AsyncGenerator<string, void>> {
    const { organizationId } = caller;
    const compoundId = await this.compounds.idBySlug(organizationId, slug);
    if (compoundId === null) throw new DomainError(compoundErrors.notFound, { slug });
    return listText(this.present(caller, this.units.batchesOfCompound(organizationId, compoundId)));
  }

  /** One page of the units that match. */
  async page(caller: Caller, query: ListUnitsQuery): Promise<PageOf<PresentedUnit>> {
    const { organizationId, language } = caller;
    const search = await this.filters.searchOf(organizationId, query);
    const total = await this.units.count(organizationId, search);
    const page = pageOf(query);
    const data: PresentedUnit[] = [];
    if (page.skip < total) {
      const order = { sort: sortOf(query), language };
      const units = this.units.batches(organizationId, search, order, page);
      for await (const batch of this.present(caller, units)) data.push(...batch);
    }
    return { data, pagination: paginationOf(data.length, page.limit, total) };
  }

  /**
   * One unit.
   *
   * @throws DomainError 404 when there is no such unit
   */
  async read({ organizationId, language }: Caller, slug: string): Promise<PresentedUnit> {
    const unit = await this.units.findBySlug(organizationId, slug);
    if (unit === null) throw new DomainError(unitErrors.notFound, { slug });
    return this.presentation.present(unit, language);
  }

  private async *present(
    { organizationId, language }: { organizationId: Types.ObjectId; language: Caller['language'] },
    units: AsyncIterable<UnitDocument[]>,
  ): AsyncGenerator<PresentedUnit[], void> {
    const presenter = this.presentation.presenter(organizationId, language);
    for await (const batch of units) yield await presenter(batch);
  }
}
