import { Injectable } from '@nestjs/common';
import type { Caller } from '../../authentication/caller.js';
import { ReferencesRepository } from '../../catalogue/references/references.repository.js';
import { compoundErrors } from '../../compounds/compound-errors.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { linesText, listText } from '../../http/lists/list-text.js';
import { type PageOf, pageOf, paginationOf } from '../../http/lists/pages.js';
import type { UnitDto } from '../unit.dto.js';
import { UnitPresenter } from '../unit-presenter.js';
import { unitErrors } from '../unit-errors.js';
import { UnitsRepository } from '../units.repository.js';
import { csvText } from './unit-csv.js';
import { UnitFilters } from './unit-filters.js';
import type { ExportFormat, ListUnitsQuery, UnitFiltersQuery } from './units.query.js';

/** Most units of an export (rule UNIT-6). */
export const exportLimit = 10_000;

/** An export that is ready to be written. */
export interface UnitExport {
  /** How many units match; more than the export has when they are too many. */
  readonly total: number;
  readonly text: AsyncGenerator<string, void>;
}

/** The units that CRMs poll and export (rules COMP-5, UNIT-5, UNIT-6 and UNIT-8). */
@Injectable()
export class UnitsService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly references: ReferencesRepository,
    private readonly filters: UnitFilters,
    private readonly presenter: UnitPresenter,
  ) {}

  /**
   * All units of a compound, newest first, as the parts of the response's text.
   *
   * @throws DomainError 404 when there is no such compound
   */
  async ofCompound(caller: Caller, slug: string): Promise<AsyncGenerator<string, void>> {
    const { organizationId } = caller;
    const compoundId = await this.references.idBySlug('compounds', organizationId, slug);
    if (compoundId === null) throw new DomainError(compoundErrors.notFound, { slug });
    const units = this.units.batchesOfCompound(organizationId, compoundId);
    return listText(this.presenter.presentBatches(caller, units));
  }

  async page(caller: Caller, query: ListUnitsQuery): Promise<PageOf<UnitDto>> {
    const page = pageOf(query);
    const { total, batches } = await this.search(caller, query, page);
    const data: UnitDto[] = [];
    if (page.skip < total) for await (const batch of batches) data.push(...batch);
    return { data, pagination: paginationOf(data.length, page.limit, total) };
  }

  /** Begins the export of all units that match. */
  async export(caller: Caller, query: UnitFiltersQuery, format: ExportFormat): Promise<UnitExport> {
    const { total, batches } = await this.search(caller, query, { limit: exportLimit });
    return { total, text: exportText(batches, format, total) };
  }

  /**
   * One unit.
   *
   * @throws DomainError 404 when there is no such unit
   */
  async read({ organizationId, language }: Caller, slug: string): Promise<UnitDto> {
    const unit = await this.units.findBySlug(organizationId, slug);
    if (unit === null) throw new DomainError(unitErrors.notFound, { slug });
    return this.presenter.present(unit, language);
  }

  /** How many units match, and a part of them, which is read when it is asked for. */
  private async search(
    caller: Caller,
    query: UnitFiltersQuery,
    part: { readonly skip?: number; readonly limit: number },
  ): Promise<{ total: number; batches: AsyncGenerator<UnitDto[], void> }> {
    const { organizationId, language } = caller;
    const filter = await this.filters.filterOf(organizationId, query);
    const total = await this.units.count(organizationId, filter);
    const order = { sort: requestedSort(query), language };
    const units = this.units.batches(organizationId, filter, order, part);
    return { total, batches: this.presenter.presentBatches(caller, units) };
  }
}

/** What changed is listed in the order of its changes unless the request asks for another one. */
function requestedSort({ sort, updatedSince }: UnitFiltersQuery): string[] {
  const fallback = updatedSince === undefined ? '-createdAt' : 'updatedAt';
  return (sort ?? fallback).split(',');
}

function exportText(
  batches: AsyncIterable<UnitDto[]>,
  format: ExportFormat,
  total: number,
): AsyncGenerator<string, void> {
  switch (format) {
    case 'json':
      return listText(batches, (count) => ({
        pagination: paginationOf(count, exportLimit, total),
      }));
    case 'ndjson':
      return linesText(batches);
    case 'csv':
      return csvText(batches);
    default:
      return format satisfies never;
  }
}
