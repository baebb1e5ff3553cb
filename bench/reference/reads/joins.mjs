// What units refer to, loaded by one query for each kind.
import { presentAmenity, presentDesign, presentPhase, presentType } from './present-references.mjs';

const kinds = {
  phases: { idsOf: ({ locationId }) => [locationId], present: presentPhase },
  propertyTypes: { idsOf: ({ propertyTypeId }) => [propertyTypeId], present: presentType },
  unitDesigns: { idsOf: ({ unitDesignId }) => [unitDesignId], present: presentDesign },
  amenities: { idsOf: ({ amenitiesIds }) => amenitiesIds ?? [], present: presentAmenity },
};

/** Presented references by kind and id, for the units of one response. */
export function newReferences() {
  return Object.fromEntries(Object.keys(kinds).map((kind) => [kind, new Map()]));
}

/** Adds what units refer to and is not among the references yet. */
export async function loadReferences(db, caller, units, references) {
  const loads = Object.keys(kinds).map((kind) =>
    loadKind(db, caller, units, { kind, known: references[kind] }),
  );
  await Promise.all(loads);
}

async function loadKind(db, { organizationId, language }, units, { kind, known }) {
  const { idsOf, present } = kinds[kind];
  const missing = new Map();
  for (const unit of units) {
    for (const id of idsOf(unit)) {
      const hex = id?.toHexString();
      if (hex !== undefined && !known.has(hex)) missing.set(hex, id);
    }
  }
  if (missing.size === 0) return;
  for (const hex of missing.keys()) known.set(hex, null);
  const filter = { organizationId, _id: { $in: [...missing.values()] }, isDeleted: false };
  for (const document of await db.collection(kind).find(filter).toArray()) {
    known.set(document._id.toHexString(), present(document, language));
  }
}
