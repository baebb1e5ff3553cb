import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { storedFields } from '../../catalogue/fields/declared-fields.js';
import type { Language } from '../../core/localization/language.js';
import type { Localized } from '../../core/localization/localized.js';
import type { UpsertUnitDto } from '../unit.dto.js';

/** What is stored of a unit's name. */
type StoredName = Pick<UnitDocument, 'name' | 'nameStandIn'>;

/** The fields of a unit that a request sets by itself, without its references. */
export function requestFields(
  input: UpsertUnitDto,
  stored: StoredName | null,
  language: Language,
): Partial<UnitDocument> {
  const { name, isDeleted } = input;
  return {
    ...storedFields(UnitDocument, input),
    ...(name === undefined ? {} : mergedName(name, stored, language)),
    ...(isDeleted === undefined ? {} : { isDeleted }),
  };
}

/**
 * A name with the sent translations. Where the default one was never sent, the other stands in for
 * it and takes it along when it changes (rule UNIT-32).
 */
function mergedName(
  input: string | Partial<Localized>,
  stored: StoredName | null,
  language: Language,
): Required<Pick<StoredName, 'name' | 'nameStandIn'>> {
  const sent: Partial<Localized> = typeof input === 'string' ? { [language]: input } : input;
  const merged = { ...stored?.name, ...sent };
  const [english, arabic] = [merged['en-us'], merged['ar-eg']];
  const isOwn = sent['en-us'] !== undefined || !isStandIn(stored ?? {});
  if (isOwn && english) return { name: { ...merged, 'en-us': english }, nameStandIn: null };
  return { name: { ...merged, 'en-us': arabic ?? '' }, nameStandIn: arabic ?? null };
}

/** Units of earlier versions do not say: there Arabic letters in both names show it. */
function isStandIn({ name, nameStandIn }: Partial<StoredName>): boolean {
  const english = name?.['en-us'];
  if (nameStandIn !== undefined) return nameStandIn === english;
  // Stryker disable next-line StringLiteral: any text without Arabic letters.
  const isArabic = /\p{Script=Arabic}/u.test(english ?? '');
  // Stryker disable next-line OptionalChaining: Arabic letters are those of a name.
  return isArabic && english === name?.['ar-eg'];
}
