import { stringify } from 'csv-stringify/sync';
import type { Batches } from '../../http/lists/list-text.js';
import type { PresentedUnit } from './unit.presenter.js';

/** The columns of the export in their order, and what stands in each. */
const columns: Readonly<Record<string, (unit: PresentedUnit) => string | number | boolean>> = {
  _id: (unit) => unit._id,
  unitId: (unit) => unit.unitId,
  recordSystemId: (unit) => unit.recordSystemId ?? '',
  name: (unit) => unit.name,
  slug: (unit) => unit.slug,
  status: (unit) => unit.status,
  rentalStatus: (unit) => unit.rentalStatus,
  saleType: (unit) => unit.saleType,
  price: (unit) => unit.price,
  bua: (unit) => unit.bua,
  beds: (unit) => unit.beds,
  floor: (unit) => unit.floor.name,
  type: (unit) => unit.type?.name ?? '',
  phase: (unit) => unit.phase?.name ?? '',
  unitDesign: (unit) => unit.unitDesign?.name ?? '',
  amenities: (unit) => unit.amenities.map(({ name }) => name).join('|'),
  listingType: (unit) => unit.listingType.map(String).join('|'),
  media: (unit) => unit.media.map(({ image }) => image).join('|'),
  showForBrokers: (unit) => unit.showForBrokers,
  isAdminOnly: (unit) => unit.isAdminOnly,
  allowToTaskeen: (unit) => unit.allowToTaskeen,
  organizationId: (unit) => unit.organizationId,
  locationId: (unit) => unit.locationId,
  propertyTypeId: (unit) => unit.propertyTypeId,
  unitDesignId: (unit) => unit.unitDesignId,
  buildingId: (unit) => unit.buildingId,
  finishingTypeId: (unit) => unit.finishingTypeId,
  isDeleted: (unit) => unit.isDeleted,
  createdAt: (unit) => unit.createdAt,
  updatedAt: (unit) => unit.updatedAt,
};

/** The parts of a CSV text (RFC 4180) with a header line; lists are separated by `|`. */
export async function* csvText(batches: Batches<PresentedUnit>): AsyncGenerator<string, void> {
  yield rowsText([Object.keys(columns)]);
  for await (const batch of batches) {
    yield rowsText(batch.map((unit) => Object.values(columns).map((value) => value(unit))));
  }
}

function rowsText(rows: readonly (readonly (string | number | boolean)[])[]): string {
  return stringify([...rows], {
    record_delimiter: 'windows',
    cast: { boolean: String },
    // A spreadsheet would run a name that begins with `=`.
    escape_formulas: true,
  });
}
