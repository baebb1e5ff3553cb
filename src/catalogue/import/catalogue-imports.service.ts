import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { SaveCounts, SluggedDocument, SluggedFields } from './catalogue-store.js';
import { Clock } from '../../configuration/clock.js';
import { CatalogueChecksService } from './catalogue-checks.service.js';
import { readCatalogue } from './catalogue-file.js';
import { type Catalogue, type Fault, type Kind, kinds } from './catalogue-records.js';
import { CatalogueStores } from './catalogue-stores.js';

type Fields = SluggedFields<SluggedDocument>;

/** Records in one write to the database. */
const batchSize = 500;

/** Told after each batch: how many records are done, of how many. */
export type Progress = (done: number, total: number) => void;

/** What an import did, by kind; the faults that kept it from beginning. */
export interface ImportOutcome {
  readonly faults: readonly Fault[];
  readonly counts: readonly (SaveCounts & { readonly kind: string })[];
}

/** Takes whole catalogues over from files ("Operator"). */
@Injectable()
export class CatalogueImportsService {
  constructor(
    private readonly stores: CatalogueStores,
    private readonly checks: CatalogueChecksService,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks a whole file and, when nothing is wrong with it, stores it: records are known by their
   * slugs, so that importing it again changes nothing. What the file does not say stays as it is.
   */
  async import(
    organizationId: Types.ObjectId,
    text: string,
    progress: Progress,
  ): Promise<ImportOutcome> {
    const file = readCatalogue(text);
    const { catalogue } = file;
    const faults = [...file.faults, ...(await this.checks.faultsOf(organizationId, file))];
    if (faults.length > 0) return { faults, counts: [] };
    const total = kinds.reduce((sum, kind) => sum + catalogue[kind].length, 0);
    const counts: (SaveCounts & { kind: string })[] = [];
    let done = 0;
    for (const kind of kinds) {
      const records = await this.fieldsOf(organizationId, kind, catalogue);
      const saved = await this.save(organizationId, kind, records, (batch) => {
        done += batch;
        progress(done, total);
      });
      counts.push({ kind, ...saved });
    }
    return { faults: [], counts };
  }

  private async save(
    organizationId: Types.ObjectId,
    kind: Kind,
    records: readonly Fields[],
    saved: (batch: number) => void,
  ): Promise<SaveCounts> {
    const sum = { created: 0, updated: 0, unchanged: 0 };
    for (let start = 0; start < records.length; start += batchSize) {
      const batch = records.slice(start, start + batchSize);
      const counts = await this.stores.of(kind).save(organizationId, batch, this.clock.now());
      sum.created += counts.created;
      sum.updated += counts.updated;
      sum.unchanged += counts.unchanged;
      saved(batch.length);
    }
    return sum;
  }

  /** The records of a kind with ids for slugs; what they refer to has been stored by then. */
  private async fieldsOf(
    organizationId: Types.ObjectId,
    kind: Kind,
    catalogue: Catalogue,
  ): Promise<Fields[]> {
    switch (kind) {
      case 'phases':
        return this.phases(organizationId, catalogue);
      case 'unitDesigns':
        return this.unitDesigns(organizationId, catalogue);
      case 'units':
        return this.units(organizationId, catalogue);
      case 'propertyTypes':
      case 'amenities':
      case 'compounds':
        return catalogue[kind].map(({ record }) => withoutUndefined(record));
      default:
        return kind satisfies never;
    }
  }

  private async phases(organizationId: Types.ObjectId, { phases }: Catalogue): Promise<Fields[]> {
    const compounds = await this.ids(
      organizationId,
      'compounds',
      phases.map(({ record }) => record.compound),
    );
    return phases.map(({ record: { compound, ...fields } }) =>
      withoutUndefined({ ...fields, parentId: compounds.get(compound) }),
    );
  }

  private async unitDesigns(
    organizationId: Types.ObjectId,
    { unitDesigns }: Catalogue,
  ): Promise<Fields[]> {
    const records = unitDesigns.map(({ record }) => record);
    const amenityIds = await this.ids(
      organizationId,
      'amenities',
      records.flatMap(({ amenities = [] }) => amenities),
    );
    const phaseIds = await this.ids(
      organizationId,
      'phases',
      records.flatMap(({ phases = [] }) => phases),
    );
    return records.map(({ amenities, phases, ...fields }) =>
      withoutUndefined({
        ...fields,
        amenitiesIds: amenities?.map((slug) => amenityIds.get(slug)),
        locationsIds: phases?.map((slug) => phaseIds.get(slug)),
      }),
    );
  }

  private async units(organizationId: Types.ObjectId, { units }: Catalogue): Promise<Fields[]> {
    const records = units.map(({ record }) => record);
    const idsOf = (kind: Kind, slugs: readonly (string | null | undefined)[]) =>
      this.ids(organizationId, kind, slugs);
    const compounds = await idsOf(
      'compounds',
      records.map(({ compound }) => compound),
    );
    const phases = await idsOf(
      'phases',
      records.map(({ phase }) => phase),
    );
    const types = await idsOf(
      'propertyTypes',
      records.map(({ propertyType }) => propertyType),
    );
    const designs = await idsOf(
      'unitDesigns',
      records.map(({ unitDesign }) => unitDesign),
    );
    const amenityIds = await idsOf(
      'amenities',
      records.flatMap(({ amenities = [] }) => amenities),
    );
    const stored = await this.stores.units.bySlug(
      organizationId,
      records.map(({ slug }) => slug),
    );
    const locationOf = ({ slug, compound, phase }: (typeof records)[number]) => {
      const unit = stored.get(slug);
      const compoundId = compounds.get(compound);
      if (typeof phase === 'string') return phases.get(phase);
      const stays = phase === undefined && unit?.compoundId.equals(compoundId);
      return stays ? unit?.locationId : compoundId;
    };
    return records.map((record) => {
      const { compound, phase: _phase, propertyType, unitDesign, amenities, ...fields } = record;
      return withoutUndefined({
        ...fields,
        compoundId: compounds.get(compound),
        locationId: locationOf(record),
        propertyTypeId: idOrNull(types, propertyType),
        unitDesignId: idOrNull(designs, unitDesign),
        amenitiesIds: amenities?.map((slug) => amenityIds.get(slug)),
      });
    });
  }

  private async ids(
    organizationId: Types.ObjectId,
    kind: Kind,
    slugs: readonly (string | null | undefined)[],
  ): Promise<ReadonlyMap<string, Types.ObjectId>> {
    const wanted = [...new Set(slugs.filter((slug) => typeof slug === 'string'))];
    const stored = await this.stores.of(kind).bySlug(organizationId, wanted);
    return new Map([...stored].map(([slug, { _id }]) => [slug, _id]));
  }
}

/** Null takes a reference away; a file that does not name one leaves it as it is. */
function idOrNull(
  ids: ReadonlyMap<string, Types.ObjectId>,
  slug: string | null | undefined,
): Types.ObjectId | null | undefined {
  return typeof slug === 'string' ? ids.get(slug) : slug;
}

function withoutUndefined(fields: {
  readonly slug: string;
  readonly [field: string]: unknown;
}): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as unknown as Fields;
}
