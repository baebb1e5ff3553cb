import { z } from 'zod';
import { limitText, quantity } from '../../core/values/numbers.js';
import { isValid, type ValueKind } from '../../core/values/rule.js';
import * as texts from '../../core/values/text.js';
import { parseTime } from '../../core/values/time.js';
import { webAddress } from '../../core/values/text.js';

const short = valueOf<string>(texts.shortText, upTo(texts.shortTextLimit));
const text = valueOf<string>(texts.text, 'must be a text that is not empty');
const slug = valueOf<string>(texts.slug, upTo(texts.slugLimit));
const newSlug = valueOf<string>(
  texts.newSlug,
  `${upTo(texts.slugLimit)}, without blanks and / \\ ? # %, and not only dots`,
);
const externalId = valueOf<string>(texts.externalId, upTo(texts.externalIdLimit));
const number = valueOf<number>(quantity, 'must be a finite number that is not negative');
const url = valueOf<string>(webAddress, 'must be an http or https address');
const time = z.unknown().transform(parseTime).pipe(z.date('must be an ISO 8601 date'));
const localized = z.strictObject({ 'en-us': short, 'ar-eg': short.optional() });
const media = z.array(z.strictObject({ image: url, type: short.default('image') }));
const brochure = z.strictObject({ dateUploaded: time, name: short, url });
const flag = z.boolean();

const named = { slug: newSlug, name: localized };
const described = { ...named, description: localized.optional() };

/** What a file may say of each kind of entry; references are slugs. */
export const entrySchemas = {
  propertyTypes: z.strictObject(named),
  amenities: z.strictObject({
    ...named,
    icon: url.optional(),
    fontColor: short.optional(),
    backgroundColor: short.optional(),
  }),
  compounds: z.strictObject({
    ...described,
    type: short.optional(),
    saleType: short.optional(),
    logo: url.optional(),
    mainImageUrl: url.optional(),
    mainBannerUrl: url.optional(),
    media: media.optional(),
    constructionUpdates: media.optional(),
    mainBrochure: brochure.optional(),
    brochures: z.array(brochure).optional(),
    area: number.optional(),
    numberOfUnits: number.optional(),
    showOnMap: flag.optional(),
    isPublished: flag.optional(),
    isPublic: flag.optional(),
    mapHealthCheck: flag.optional(),
    isNewLaunch: flag.optional(),
    allowPriceRange: flag.optional(),
    showInLeadFeedback: flag.optional(),
    isAdminOnly: flag.optional(),
    showInEcommerce: flag.optional(),
  }),
  phases: z.strictObject({
    ...described,
    compound: slug,
    type: short.optional(),
    landArea: number.optional(),
    mainImageUrl: url.optional(),
    media: media.optional(),
    brochures: z.array(brochure).optional(),
  }),
  unitDesigns: z.strictObject({
    ...described,
    type: short.optional(),
    bua: number.optional(),
    bedrooms: number.optional(),
    media: media.optional(),
    offerGallery: media.optional(),
    amenities: z.array(slug).optional(),
    phases: z.array(slug).optional(),
  }),
  units: z.strictObject({
    ...named,
    compound: slug,
    phase: slug.nullable().optional(),
    propertyType: slug.nullable().optional(),
    unitDesign: slug.nullable().optional(),
    amenities: z.array(slug).optional(),
    unitId: externalId,
    recordSystemId: externalId.optional(),
    status: text.optional(),
    rentalStatus: text.optional(),
    saleType: text.optional(),
    price: number.optional(),
    bua: number.optional(),
    beds: number.optional(),
    floor: z.strictObject({ name: short }).optional(),
    media: z
      .array(
        z.strictObject({
          image: url,
          imageType: short.nullable().default(null),
          type: short.default('image'),
        }),
      )
      .optional(),
    listingType: z.array(short).optional(),
    showForBrokers: flag.optional(),
  }),
} as const;

function upTo(limit: number): string {
  return `must be a text of 1 to ${limitText(limit)} characters`;
}

function valueOf<T>(kind: ValueKind, message: string): z.ZodType<T> {
  return z.custom<T>((value) => isValid(kind, value), message);
}

/** The kinds of entries, those first that others refer to. */
export type Kind = keyof typeof entrySchemas;
export const kinds = Object.keys(entrySchemas) as Kind[];

/** An entry of a file, and where in the file it is. */
export interface LocatedEntry<K extends Kind> {
  readonly location: string;
  readonly entry: z.output<(typeof entrySchemas)[K]>;
}

/** Everything that a file holds. */
export type Catalogue = { readonly [K in Kind]: LocatedEntry<K>[] };

/** What keeps a file from being imported, and where it is. */
export interface ImportError {
  readonly location: string;
  readonly message: string;
}
