import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { parseObjectId } from '../../database/documents/object-id.js';
import type { Localized } from '../../localization/localized.js';
import { OrganizationsRepository } from '../../organizations/organizations.repository.js';
import type { CatalogueImportRecordDocument } from './catalogue-import-record.schema.js';
import { CatalogueImportRecordsRepository } from './catalogue-import-records.repository.js';
import { CatalogueImportRepository } from './catalogue-import.repository.js';

const importsLimit = 20;

/** An organization to choose. */
export interface OrganizationChoice {
  readonly id: string;
  readonly name: string;
}

/** A compound and how many of its units have which status. */
export interface CompoundUnits {
  readonly name: Partial<Localized>;
  readonly total: number;
  readonly byStatus: ReadonlyMap<string, number>;
}

/** What the catalogue of an organization holds, and where it is from. */
export interface CatalogueOverview {
  /** The last twenty, newest first. */
  readonly imports: readonly CatalogueImportRecordDocument[];
  /** Those with most units first. */
  readonly compounds: readonly CompoundUnits[];
}

/** Catalogues as the operator sees them (rule OPS-34). */
@Injectable()
export class CatalogueOverviewService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly records: CatalogueImportRecordsRepository,
    private readonly catalogue: CatalogueImportRepository,
  ) {}

  /** All organizations, by name. */
  async choices(): Promise<OrganizationChoice[]> {
    const all = await this.organizations.list();
    return all
      .map(({ _id, name = '' }) => ({ id: _id.toHexString(), name }))
      .toSorted((a, b) => a.name.localeCompare(b.name));
  }

  /** @returns null when there is no organization with the id */
  async read(id: string): Promise<CatalogueOverview | null> {
    const organizationId = parseObjectId(id);
    if (organizationId === null) return null;
    if ((await this.organizations.find(organizationId)) === null) return null;
    const [imports, counts] = await Promise.all([
      this.records.last(organizationId, importsLimit),
      this.catalogue.countUnits(organizationId),
    ]);
    return { imports, compounds: await this.compoundsOf(organizationId, counts) };
  }

  private async compoundsOf(
    organizationId: Types.ObjectId,
    counts: Awaited<ReturnType<CatalogueImportRepository['countUnits']>>,
  ): Promise<CompoundUnits[]> {
    const byCompound = new Map<string, Map<string, number>>();
    for (const { compoundId, status, count } of counts) {
      const statuses = byCompound.get(String(compoundId)) ?? new Map<string, number>();
      statuses.set(status, count);
      byCompound.set(String(compoundId), statuses);
    }
    const ids = [...byCompound.keys()].flatMap((id) => parseObjectId(id) ?? []);
    const names = await this.catalogue.compoundNames(organizationId, ids);
    return [...byCompound]
      .map(([id, byStatus]) => ({
        name: names.get(id) ?? { 'en-us': id },
        total: [...byStatus.values()].reduce((sum, count) => sum + count, 0),
        byStatus,
      }))
      .toSorted((a, b) => b.total - a.total);
  }
}
