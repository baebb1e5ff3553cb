import type { UnitDocument, UnitMediaItem } from '../../catalogue/collections/unit.schema.js';
import type { Language } from '../../localization/language.js';
import type { Localized } from '../../localization/localized.js';
import type { MediaInput, UpsertUnitDto } from './upsert-unit.dto.js';

/**
 * The fields of a unit that a request sets by itself, without what it refers to. All but the name,
 * the storey and the pictures are stored as they are sent.
 */
export function requestFields(
  input: UpsertUnitDto,
  stored: Partial<Localized> | null | undefined,
  language: Language,
): Partial<UnitDocument> {
  const {
    name,
    floor,
    media,
    compound: _compound,
    phase: _phase,
    propertyType: _propertyType,
    unitDesign: _unitDesign,
    amenities: _amenities,
    ...plain
  } = input;
  return {
    ...plain,
    ...(name === undefined ? {} : { name: mergedName(name, stored, language) }),
    ...(floor === undefined ? {} : { floor: { name: floor.name } }),
    ...(media === undefined ? {} : { media: media.map(storedMedia) }),
  };
}

/** A name with the sent translations; the default language is never without one. */
function mergedName(
  input: string | Partial<Localized>,
  stored: Partial<Localized> | null | undefined,
  language: Language,
): Localized {
  const texts = typeof input === 'string' ? { [language]: input } : input;
  const merged: Partial<Localized> = { ...stored, ...texts };
  return { ...merged, 'en-us': merged['en-us'] || merged['ar-eg'] || '' };
}

function storedMedia({ image, imageType = null, type = 'image' }: MediaInput): UnitMediaItem {
  return { image, imageType, type };
}
