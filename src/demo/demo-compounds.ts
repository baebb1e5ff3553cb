import type { CompoundContent, Floors } from './demo-catalogue-content.js';
import { text } from './demo-catalogue-content.js';

const STOREY_NAMES = ['Ground', 'First', 'Second', 'Third', 'Fourth'];
const STOREYS: Floors = STOREY_NAMES.map((name, level) => ({ level, name }));
const WALK_UP = STOREYS.slice(0, 3);
const TOP_FLOOR = STOREYS.slice(3, 4);
const TOWER = STOREYS.slice(1);
// A house has all storeys to itself, but is numbered from 101 like the flats.
const HOUSE: Floors = [{ level: 1, name: 'Ground + 1' }];

/** Lets the compiler check that every block stands in a phase of its own compound. */
function compound<PhaseSlug extends string>(content: CompoundContent<PhaseSlug>): CompoundContent {
  return content;
}

const palmMeadows = compound({
  key: 'palm-meadows',
  code: 'PM',
  name: text('Palm Meadows', 'مروج النخيل'),
  description: text(
    'Low-rise homes around date groves and a long lagoon in the heart of New Cairo.',
    'منازل منخفضة الارتفاع حول بساتين النخيل وبحيرة ممتدة في قلب القاهرة الجديدة.',
  ),
  size: { area: 415_000, numberOfUnits: 1_240 },
  sale: { type: 'primary', pricePerSquareMeter: 62_000, isNewLaunch: false },
  amenities: ['landscaped-gardens', 'security', 'clubhouse', 'swimming-pool', 'cycling-track'],
  phases: {
    'date-grove': {
      name: text('Date Grove', 'بستان التمر'),
      description: text('Garden flats by the main gate.', 'شقق بحدائق قرب البوابة الرئيسية.'),
      landArea: 118_000,
    },
    lagoon: {
      name: text('Lagoon', 'البحيرة'),
      description: text('Homes along the water.', 'منازل على امتداد المياه.'),
      landArea: 142_000,
    },
    hilltop: {
      name: text('Hilltop', 'الربوة'),
      description: text('Villas on the highest plots.', 'فيلات على أعلى قطع الأرض.'),
      landArea: 96_000,
    },
  },
  designs: {
    'garden-apartment': {
      name: text('Garden Apartment', 'شقة بإطلالة على الحديقة'),
      description: text('Two bedrooms and a wide terrace.', 'غرفتا نوم وشرفة واسعة.'),
      home: { propertyType: 'apartment', bua: 118, bedrooms: 2 },
      block: { phase: 'date-grove', building: 'A', floors: WALK_UP, unitsPerFloor: 3 },
    },
    'lagoon-apartment': {
      name: text('Lagoon Apartment', 'شقة البحيرة'),
      description: text('Three bedrooms facing the water.', 'ثلاث غرف نوم تطل على المياه.'),
      home: { propertyType: 'apartment', bua: 165, bedrooms: 3 },
      block: { phase: 'lagoon', building: 'B', floors: WALK_UP, unitsPerFloor: 2 },
    },
    'lagoon-townhouse': {
      name: text('Lagoon Townhouse', 'تاون هاوس البحيرة'),
      description: text('Two storeys with a back garden.', 'طابقان مع حديقة خلفية.'),
      home: { propertyType: 'townhouse', bua: 210, bedrooms: 3 },
      block: { phase: 'lagoon', building: 'T', floors: HOUSE, unitsPerFloor: 4 },
    },
    'hilltop-villa': {
      name: text('Hilltop Villa', 'فيلا الربوة'),
      description: text('A standalone villa with a pool.', 'فيلا مستقلة بحمام سباحة.'),
      home: { propertyType: 'villa', bua: 340, bedrooms: 5 },
      block: { phase: 'hilltop', building: 'V', floors: HOUSE, unitsPerFloor: 4 },
    },
  },
});

const sycamoreTerraces = compound({
  key: 'sycamore-terraces',
  code: 'ST',
  name: text('Sycamore Terraces', 'شرفات الجميز'),
  description: text(
    'Stepped terraces and shaded walks for families who settle in Sheikh Zayed.',
    'شرفات متدرجة وممرات ظليلة للعائلات التي تستقر في الشيخ زايد.',
  ),
  size: { area: 298_000, numberOfUnits: 760 },
  sale: { type: 'primary', pricePerSquareMeter: 65_000, isNewLaunch: false },
  amenities: ['security', 'gym', 'kids-area', 'landscaped-gardens', 'shopping-strip'],
  phases: {
    'north-terrace': {
      name: text('North Terrace', 'الشرفة الشمالية'),
      description: text('Apartments above the park.', 'شقق تعلو الحديقة المركزية.'),
      landArea: 104_000,
    },
    'south-terrace': {
      name: text('South Terrace', 'الشرفة الجنوبية'),
      description: text('Quiet streets of family houses.', 'شوارع هادئة لمنازل العائلات.'),
      landArea: 131_000,
    },
  },
  designs: {
    'park-apartment': {
      name: text('Park Apartment', 'شقة الحديقة المركزية'),
      description: text('Two bedrooms over the park.', 'غرفتا نوم تطلان على الحديقة.'),
      home: { propertyType: 'apartment', bua: 130, bedrooms: 2 },
      block: { phase: 'north-terrace', building: 'A', floors: WALK_UP, unitsPerFloor: 3 },
    },
    'terrace-twin-house': {
      name: text('Terrace Twin House', 'توين هاوس الشرفات'),
      description: text('Four bedrooms and a roof terrace.', 'أربع غرف نوم وتراس علوي.'),
      home: { propertyType: 'twin-house', bua: 265, bedrooms: 4 },
      block: { phase: 'south-terrace', building: 'W', floors: HOUSE, unitsPerFloor: 6 },
    },
    'sycamore-villa': {
      name: text('Sycamore Villa', 'فيلا الجميز'),
      description: text('Five bedrooms on a corner plot.', 'خمس غرف نوم على قطعة ناصية.'),
      home: { propertyType: 'villa', bua: 410, bedrooms: 5 },
      block: { phase: 'south-terrace', building: 'V', floors: HOUSE, unitsPerFloor: 4 },
    },
  },
});

const heronCoves = compound({
  key: 'heron-coves',
  code: 'HC',
  name: text('Heron Coves', 'خلجان البلشون'),
  // Left untranslated, so that the demo shows the fallback to English.
  description: {
    'en-us': 'Three sandy coves on the North Coast with chalets a short walk from the sea.',
  },
  size: { area: 520_000, numberOfUnits: 980 },
  sale: { type: 'primary', pricePerSquareMeter: 85_000, isNewLaunch: false },
  amenities: ['private-beach', 'swimming-pool', 'security', 'kids-area', 'clubhouse', 'gym'],
  phases: {
    'west-cove': {
      name: text('West Cove', 'الخليج الغربي'),
      description: text('Chalets behind the first dune.', 'شاليهات خلف الكثيب الأول.'),
      landArea: 160_000,
    },
    'east-cove': {
      name: text('East Cove', 'الخليج الشرقي'),
      description: text('Houses on the first row.', 'منازل على الصف الأول.'),
      landArea: 185_000,
    },
  },
  designs: {
    'dune-chalet': {
      name: text('Dune Chalet', 'شاليه الكثبان'),
      description: text('One bedroom with a sea breeze.', 'غرفة نوم واحدة بنسيم البحر.'),
      home: { propertyType: 'chalet', bua: 72, bedrooms: 1 },
      block: { phase: 'west-cove', building: 'A', floors: WALK_UP, unitsPerFloor: 4 },
    },
    'shore-twin-house': {
      name: text('Shore Twin House', 'توين هاوس الشاطئ'),
      description: text('Three bedrooms near the sand.', 'ثلاث غرف نوم قرب الرمال.'),
      home: { propertyType: 'twin-house', bua: 190, bedrooms: 3 },
      block: { phase: 'east-cove', building: 'W', floors: HOUSE, unitsPerFloor: 5 },
    },
    'first-row-villa': {
      name: text('First Row Villa', 'فيلا الصف الأول'),
      description: text('Five bedrooms on the beach.', 'خمس غرف نوم على الشاطئ.'),
      home: { propertyType: 'villa', bua: 320, bedrooms: 5 },
      block: { phase: 'east-cove', building: 'V', floors: HOUSE, unitsPerFloor: 4 },
    },
  },
});

const lanternBoulevard = compound({
  key: 'lantern-boulevard',
  code: 'LB',
  name: text('Lantern Boulevard', 'جادة الفوانيس'),
  description: text(
    'City apartments over a lit promenade in the New Capital.',
    'شقق عصرية فوق ممشى مضاء في العاصمة الإدارية الجديدة.',
  ),
  size: { area: 126_000, numberOfUnits: 1_420 },
  sale: { type: 'primary', pricePerSquareMeter: 42_000, isNewLaunch: true },
  amenities: ['underground-parking', 'shopping-strip', 'security', 'gym', 'kids-area'],
  phases: {
    promenade: {
      name: text('Promenade', 'الممشى'),
      description: text('The first towers on the street.', 'أول الأبراج على الجادة.'),
      landArea: 54_000,
    },
  },
  designs: {
    'city-apartment': {
      name: text('City Apartment', 'شقة المدينة'),
      description: text('Two bedrooms and a work corner.', 'غرفتا نوم وركن للعمل.'),
      home: { propertyType: 'apartment', bua: 125, bedrooms: 2 },
      block: { phase: 'promenade', building: 'A', floors: TOWER, unitsPerFloor: 3 },
    },
    'family-apartment': {
      name: text('Family Apartment', 'شقة عائلية'),
      description: text('Three bedrooms on a corner.', 'ثلاث غرف نوم على ناصية.'),
      home: { propertyType: 'apartment', bua: 172, bedrooms: 3 },
      block: { phase: 'promenade', building: 'B', floors: TOWER, unitsPerFloor: 2 },
    },
  },
});

const coralSteps = compound({
  key: 'coral-steps',
  code: 'CS',
  name: text('Coral Steps', 'مدرجات المرجان'),
  description: text(
    'Chalets that climb the hillside of Ain Sokhna, each with a view of the Red Sea.',
    'شاليهات تصعد تلال العين السخنة ولكل منها إطلالة على البحر الأحمر.',
  ),
  size: { area: 88_000, numberOfUnits: 310 },
  sale: { type: 'primary', pricePerSquareMeter: 60_000, isNewLaunch: false },
  amenities: ['private-beach', 'swimming-pool', 'kids-area', 'security'],
  // A compound too small for phases: its units are located in the compound itself.
  phases: {},
  designs: {
    'hillside-chalet': {
      name: text('Hillside Chalet', 'شاليه التلال'),
      description: text('Two bedrooms with a sea view.', 'غرفتا نوم بإطلالة على البحر.'),
      home: { propertyType: 'chalet', bua: 95, bedrooms: 2 },
      block: { building: 'A', floors: WALK_UP, unitsPerFloor: 5 },
    },
    'rooftop-chalet': {
      name: text('Rooftop Chalet', 'شاليه علوي'),
      description: text('Three bedrooms and a roof deck.', 'ثلاث غرف نوم وسطح خاص.'),
      home: { propertyType: 'chalet', bua: 150, bedrooms: 3 },
      block: { building: 'A', floors: TOP_FLOOR, unitsPerFloor: 5 },
    },
  },
});

const zaytounOrchard = compound({
  key: 'zaytoun-orchard',
  slug: 'بستان-الزيتون',
  code: 'ZO',
  name: text('Zaytoun Orchard', 'بستان الزيتون'),
  description: text(
    'A settled neighbourhood among olive trees in 6th of October City.',
    'حي مأهول بين أشجار الزيتون في مدينة السادس من أكتوبر.',
  ),
  size: { area: 210_000, numberOfUnits: 540 },
  sale: { type: 'resale', pricePerSquareMeter: 45_000, isNewLaunch: false },
  amenities: ['landscaped-gardens', 'cycling-track', 'security', 'shopping-strip'],
  phases: {
    'old-orchard': {
      name: text('Old Orchard', 'البستان القديم'),
      description: text('The first planted quarter.', 'أول الأحياء المزروعة.'),
      landArea: 92_000,
    },
  },
  designs: {
    'olive-apartment': {
      name: text('Olive Apartment', 'شقة الزيتون'),
      description: text('Two bedrooms under the trees.', 'غرفتا نوم بين الأشجار.'),
      home: { propertyType: 'apartment', bua: 110, bedrooms: 2 },
      block: { phase: 'old-orchard', building: 'A', floors: TOWER, unitsPerFloor: 3 },
    },
    'orchard-townhouse': {
      name: text('Orchard Townhouse', 'تاون هاوس البستان'),
      description: text('Three bedrooms and a courtyard.', 'ثلاث غرف نوم وفناء.'),
      home: { propertyType: 'townhouse', bua: 200, bedrooms: 3 },
      block: { phase: 'old-orchard', building: 'T', floors: HOUSE, unitsPerFloor: 6 },
    },
  },
});

/** The demo organization's compounds. */
export const COMPOUNDS: readonly CompoundContent[] = [
  palmMeadows,
  sycamoreTerraces,
  heronCoves,
  lanternBoulevard,
  coralSteps,
  zaytounOrchard,
];
