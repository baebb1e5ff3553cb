import type { Localized } from '../localization/localized.js';

/** The storeys that units are on. */
export type Floors = readonly { level: number; name: string }[];

/** A unit design as written by hand, with the building or row of houses that it is built in. */
export interface DesignContent<PhaseSlug extends string = string> {
  name: Localized;
  description: Localized;
  home: { propertyType: PropertyTypeSlug; bua: number; bedrooms: number };
  block: { phase?: PhaseSlug; building: string; floors: Floors; unitsPerFloor: number };
}

/** A phase as written by hand; `landArea` is in square meters. */
interface PhaseContent {
  name: Localized;
  description: Localized;
  landArea: number;
}

/**
 * A compound as written by hand. `key` is its ASCII name in addresses and in the slugs of what is
 * inside it, and its own slug unless it has another; `code` starts the unit ids.
 */
export interface CompoundContent<PhaseSlug extends string = string> {
  key: string;
  slug?: string;
  code: string;
  name: Localized;
  description: Localized;
  size: { area: number; numberOfUnits: number };
  sale: { type: 'primary' | 'resale'; pricePerSquareMeter: number; isNewLaunch: boolean };
  amenities: readonly AmenityKey[];
  phases: Readonly<Record<PhaseSlug, PhaseContent>>;
  designs: Readonly<Record<string, DesignContent<NoInfer<PhaseSlug>>>>;
}

/** A text in both languages. */
export const text = (english: string, arabic: string): Localized => ({
  'en-us': english,
  'ar-eg': arabic,
});

/** Property types by slug; `priceFactor` is what a square meter costs relative to an apartment's. */
export const PROPERTY_TYPES = {
  apartment: { name: text('Apartment', 'شقة'), category: 'residential', priceFactor: 1 },
  villa: { name: text('Villa', 'فيلا'), category: 'residential', priceFactor: 1.35 },
  townhouse: { name: text('Townhouse', 'تاون هاوس'), category: 'residential', priceFactor: 1.12 },
  'twin-house': {
    name: text('Twin House', 'توين هاوس'),
    category: 'residential',
    priceFactor: 1.2,
  },
  chalet: { name: text('Chalet', 'شاليه'), category: 'vacation', priceFactor: 1.05 },
};

/** The slug of one of the property types. */
type PropertyTypeSlug = keyof typeof PROPERTY_TYPES;

const WATER = { fontColor: '#0B4F6C', backgroundColor: '#DFF3FA' };
const GREENERY = { fontColor: '#1E5631', backgroundColor: '#E3F4E1' };
const ENERGY = { fontColor: '#8A3B12', backgroundColor: '#FDEBDD' };
const SERVICE = { fontColor: '#3D3A6B', backgroundColor: '#ECEBF8' };

/** Amenities by the name of their icon. */
export const AMENITIES = {
  'swimming-pool': { name: text('Swimming Pool', 'حمام سباحة'), ...WATER },
  'private-beach': { name: text('Private Beach', 'شاطئ خاص'), ...WATER },
  'landscaped-gardens': { name: text('Landscaped Gardens', 'حدائق منسقة'), ...GREENERY },
  'kids-area': { name: text('Kids Area', 'منطقة أطفال'), ...GREENERY },
  clubhouse: { name: text('Clubhouse', 'نادي اجتماعي'), ...ENERGY },
  gym: { name: text('Gym', 'صالة رياضية'), ...ENERGY },
  'cycling-track': { name: text('Cycling Track', 'مسار دراجات'), ...ENERGY },
  security: { name: text('24/7 Security', 'أمن على مدار الساعة'), ...SERVICE },
  'underground-parking': { name: text('Underground Parking', 'جراج تحت الأرض'), ...SERVICE },
  'shopping-strip': { name: text('Shopping Strip', 'ممشى تجاري'), ...SERVICE },
};

/** The name of one of the amenities' icons. */
export type AmenityKey = keyof typeof AMENITIES;
