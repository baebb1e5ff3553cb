import type { Language } from '../../localization/language.js';
import type { Localized } from '../../localization/localized.js';
import type { SentMedia, UpsertUnitDto } from './upsert-unit.dto.js';
import type { UnitDocument, UnitMediaItem } from '../../catalogue/collections/unit.schema.js';

/** The fields that are stored as they are sent. */
const plainFields = [
  'recordSystemId',
  'unitId',
  'price',
  'status',
  'rentalStatus',
  'saleType',
  'bua',
  'beds',
  'listingType',
  'showForBrokers',
] as const;

/** The fields of a unit that a request sets by itself, without what it refers to. */
export function sentFields(
  sent: UpsertUnitDto,
  stored: Partial<Localized> | null | undefined,
  language: Language,
): Partial<UnitDocument> {
  const plain = plainFields.filter((field) => sent[field] !== undefined);
  const name = mergedName(sent.name, stored, language);
  return {
    ...Object.fromEntries(plain.map((field) => [field, sent[field]])),
    ...(name === undefined ? {} : { name }),
    ...(sent.floor === undefined ? {} : { floor: { name: sent.floor.name } }),
    ...(sent.media === undefined ? {} : { media: sent.media.map(storedMedia) }),
  };
}

/** A name with the sent translations; the default language is never without one. */
function mergedName(
  sent: UpsertUnitDto['name'],
  stored: Partial<Localized> | null | undefined,
  language: Language,
): Localized | undefined {
  if (sent === undefined) return undefined;
  const texts = typeof sent === 'string' ? { [language]: sent } : sent;
  const merged: Partial<Localized> = { ...stored, ...texts };
  return { ...merged, 'en-us': merged['en-us'] || merged['ar-eg'] || '' };
}

function storedMedia({ image, imageType = null, type = 'image' }: SentMedia): UnitMediaItem {
  return { image, imageType, type };
}
