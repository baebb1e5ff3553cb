import { Injectable } from '@nestjs/common';
import type { Caller } from '../../authentication/caller.js';
import { linesText, listText } from '../../http/lists/list-text.js';
import { paginationOf } from '../../http/lists/pages.js';
import type { ExportFormat, UnitFiltersQuery } from './units.query.js';
import { csvText } from './unit-csv.js';
import { sortOf, UnitFiltersService } from './unit-filters.service.js';
import { type PresentedUnit, UnitPresentationService } from './unit-presentation.service.js';
import { UnitsRepository } from '../units.repository.js';

/** Most units of an export (section 8). */
export const exportLimit = 10_000;

/** An export that is ready to be written. */
export interface UnitExport {
  /** How many units match; more than the export has when they are too many. */
  readonly total: number;
  readonly text: AsyncGenerator<string, void>;
}

/** Exports units ("Units and reservation records" 3). */
@Injectable()
export class UnitExportsService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly filters: UnitFiltersService,
    private readonly presentation: UnitPresentationService,
  ) {}

  /** Begins the export of all units that match. */
  async open(caller: Caller, query: UnitFiltersQuery, format: ExportFormat): Promise<UnitExport> {
    const { organizationId, language } = caller;
    const search = await this.filters.searchOf(organizationId, query);
    const total = await this.units.count(organizationId, search);
    const order = { sort: sortOf(query), language };
    const part = { limit: exportLimit };
    const batches = this.units.batches(organizationId, search, order, part);
    const presenter = this.presentation.presenter(organizationId, language);
    async function* presented() {
      for await (const batch of batches) yield await presenter(batch);
    }
    return { total, text: write(presented(), format, total) };
  }
}

function write(
  units: AsyncIterable<PresentedUnit[]>,
  format: ExportFormat,
  total: number,
): AsyncGenerator<string, void> {
  switch (format) {
    case 'json':
      return listText(units, (count) => ({ pagination: paginationOf(count, exportLimit, total) }));
    case 'ndjson':
      return linesText(units);
    case 'csv':
      return csvText(units);
    default:
      return format satisfies never;
  }
}
