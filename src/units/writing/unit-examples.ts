/** Requests of `POST /units` for the reference. */
export const unitExamples = {
  'A unit of a compound': {
    recordSystemId: 'ERP-4711',
    unitId: 'PM-V-901',
    name: { 'en-us': 'Garden Villa PM-V-901', 'ar-eg': 'فيلا بحديقة PM-V-901' },
    compound: 'palm-meadows',
    phase: 'palm-meadows-date-grove',
    propertyType: 'villa',
    amenities: ['Swimming Pool', 'Gym'],
    price: 12_500_000,
    bua: 260,
    beds: 3,
    floor: { name: 'Ground' },
    listingType: ['sale'],
    status: 'Available',
  },
  'A new price': { unitId: 'PM-A-001', compound: 'palm-meadows', price: 7_450_000 },
};

/** What the response to `POST /units` leads to. */
export const unitLinks = {
  read: { operationId: 'readUnit', parameters: { slug: '$response.body#/unit/slug' } },
};
