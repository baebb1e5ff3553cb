import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { Clock } from '../../core/configuration/clock.js';
import { isUnsortable } from '../../core/database/connection/database-errors.js';
import { newestFirst } from '../../core/database/documents/keyset.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import type { BatchOptions } from '../../core/database/documents/tenant-queries.js';
import { withoutSession, Snapshots } from '../../core/database/transactions/sessions.js';
import { DomainError } from '../../core/errors/domain-error.js';
import {
  ListPaginator,
  type ListPage,
  type PaginationDto,
} from '../../core/http/responses/list-paginator.js';
import { type Batches, jsonLines, jsonList } from '../../core/http/responses/response-streams.js';
import { type CsvCell, csvRows } from '../../core/values/csv.js';
import { asObject } from '../../core/values/json.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { CatalogueVisibilityService } from '../../catalogue/visibility/catalogue-visibility.service.js';
import { showsRemovals, UnitFiltersService } from './unit-filters.service.js';
import { readIndexFor } from '../../catalogue/collections/unit.schema.js';
import {
  type ExportFormat,
  type ExportUnitsQuery,
  type ListUnitsQuery,
  type UnitFiltersQuery,
  orderOf,
} from './units.query.js';
import { unitErrors } from '../unit-errors.js';
import { UnitsRepository } from '../units.repository.js';
import { type ListedUnit, type UnitDto, type UnitRow, unitColumns } from '../unit.dto.js';
import { type UnitBatches, UnitPresenter, type UnitReader } from '../unit.presenter.js';

/** Lets spreadsheets recognize UTF-8. */
const byteOrderMark = '\u{FEFF}';

/** Follows RFC 4180 with a header line; lists are separated by `|`. */
async function* csvText(
  batches: Batches<Partial<UnitRow>>,
  hasByteOrderMark: boolean,
): AsyncGenerator<Buffer, void> {
  // Sending the header with the first rows lets an earlier error still decide the status.
  let header = (hasByteOrderMark ? byteOrderMark : '') + csvRows([unitColumns]);
  for await (const batch of batches) {
    const rows = batch.map((unit) => unitColumns.map((column) => cellOf(unit[column])));
    yield Buffer.from(header + csvRows(rows));
    header = '';
  }
  if (header !== '') yield Buffer.from(header);
}

function cellOf(value: UnitRow[(typeof unitColumns)[number]] | undefined): CsvCell {
  if (Array.isArray(value)) return value.map(labelOf).join('|');
  if (typeof value !== 'object') return value ?? '';
  return value === null || !('name' in value) ? '' : value.name;
}

/** Returns the name of an amenity, the address of a picture, or JSON. */
function labelOf(item: unknown): string {
  const { name, image } = asObject(item);
  const text = [item, name, image].find((value) => typeof value === 'string');
  if (text !== undefined) return text;
  const json = JSON.stringify(item ?? null);
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

@Injectable()
export class UnitsService {
  /** Limits exports and orders by several fields; tests lower it. */
  maxUnits = 10_000;

  constructor(
    private readonly units: UnitsRepository,
    private readonly catalogue: CatalogueRepository,
    private readonly visibility: CatalogueVisibilityService,
    private readonly filters: UnitFiltersService,
    private readonly presenter: UnitPresenter,
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
  ) {}

  /** The reader must see the compound. */
  ofCompound(reader: UnitReader, compoundId: Types.ObjectId): AsyncGenerator<Buffer, void> {
    const filter = { ...reader.hidden?.visibleUnits, compoundId, ...notDeleted };
    const units = this.units.batches(reader.organizationId, filter, { sort: newestFirst });
    return jsonList(this.presenter.presentBatches(reader, units));
  }

  async page(caller: Caller, query: ListUnitsQuery): Promise<ListPage<ListedUnit>> {
    const { reader, paginator, count, batches } = await this.search(caller, query);
    return paginator.page({
      count,
      batches,
      present: (units) => this.presenter.presentAll(reader, units),
    });
  }

  /** Reads one snapshot; the total counts all matches even if the export is cut. */
  async export(caller: Caller, query: ExportUnitsQuery, format: ExportFormat) {
    const { reader, paginator, count, batches } = await this.search(caller, query);
    const snapshot = this.snapshots.open();
    const { total, end } = await snapshot.run(async () => {
      const matching = await paginator.total(count);
      const mayBeMore = matching > this.maxUnits || paginator.after !== undefined;
      const last = mayBeMore ? await this.lastExported(batches) : null;
      // The session of the snapshot does not allow parallel reads.
      return {
        total: matching,
        end: await withoutSession(() => paginator.progress(last, matching)),
      };
    });
    const units = batches({ limit: this.maxUnits });
    const text =
      format === 'csv'
        ? csvText(this.presenter.presentRows(reader, units), query.bom === '1')
        : jsonText(this.presenter.presentBatches(reader, units), format, (sent) =>
            paginator.pagination(sent, this.maxUnits, total, end),
          );
    return { total, end, text: snapshot.stream(text) };
  }

  /** @throws DomainError 404 if the unit does not exist */
  async read(caller: Caller, slug: string): Promise<UnitDto> {
    const { organizationId, language } = caller;
    const hidden = await this.visibility.hiddenFrom(caller);
    const unit = await this.units.findBySlug(organizationId, slug, hidden?.visibleUnits);
    if (unit === null) throw new DomainError(unitErrors.notFound, { slug });
    return this.presenter.present({ organizationId, language, hidden }, unit);
  }

  /** Returns null if no unit follows the export. */
  private async lastExported(
    batches: (part: BatchOptions<UnitDocument>) => UnitBatches,
  ): Promise<UnitDocument | null> {
    const part = { skip: this.maxUnits - 1, limit: 2 };
    const units: UnitDocument[] = [];
    for await (const batch of batches(part)) units.push(...batch);
    return units.length > 1 ? (units[0] ?? null) : null;
  }

  private async search(caller: Caller, query: ListUnitsQuery & ExportUnitsQuery) {
    const { organizationId, language } = caller;
    const now = this.clock.now();
    const hidden = await this.visibility.hiddenFrom(caller);
    if (hidden !== null) assertOrderOfRemovals(query);
    const paginator = new ListPaginator(query, now, {
      name: `units ${organizationId.toHexString()}${hidden === null ? '' : ' public'}`,
      order: (isCopy) => orderOf(requestedSort(query, isCopy), language),
      newestChange: () => this.catalogue.newestChange(organizationId, undefined, hidden),
    });
    const { after, order } = paginator;
    const fields = requestedSort(query, paginator.isCopy);
    const filter = await this.filters.filterOf(organizationId, query, hidden);
    const count = () => this.units.count(organizationId, filter);
    if (fields.length > 1 && (await count()) > this.maxUnits) {
      throw new DomainError(unitErrors.tooManyToSort, { most: this.maxUnits });
    }
    const hint = readIndexFor(filter, fields, language);
    const batches = (part: BatchOptions<UnitDocument>): UnitBatches =>
      reportUnsortable(
        this.units.batches(organizationId, filter, { sort: order, after, hint, ...part }),
        fields,
      );
    return { reader: { organizationId, language, hidden }, paginator, count, batches };
  }
}

/** Another order, and its cursors, would reveal values of units that are shown as removed. */
function assertOrderOfRemovals(query: UnitFiltersQuery): void {
  const { sort = 'updatedAt' } = query;
  if (!showsRemovals(query) || /^-?updatedAt$/.test(sort)) return;
  throw new DomainError(unitErrors.removalsUnsortable);
}

async function* reportUnsortable(batches: UnitBatches, fields: readonly string[]): UnitBatches {
  try {
    yield* batches;
  } catch (error) {
    if (!isUnsortable(error)) throw error;
    throw new DomainError(unitErrors.unsortable, { fields: fields.join(',') });
  }
}

function requestedSort({ sort, updatedSince }: UnitFiltersQuery, isCopy: boolean): string[] {
  if (sort !== undefined) return sort.split(',');
  if (updatedSince !== undefined) return ['updatedAt'];
  return isCopy ? [] : ['-createdAt'];
}

function jsonText(
  batches: Batches<ListedUnit>,
  format: Exclude<ExportFormat, 'csv'>,
  paginationOf: (sent: number) => PaginationDto,
): AsyncGenerator<Buffer, void> {
  if (format === 'ndjson') return jsonLines(batches);
  return jsonList(batches, (sent) => ({ pagination: paginationOf(sent) }));
}
