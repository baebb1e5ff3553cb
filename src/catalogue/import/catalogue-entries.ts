import { z } from 'zod';
import { isStorableText } from '../../http/validation/json-body.js';

const text = z.string().trim().min(1).max(2_048).refine(isStorableText, 'must be storable text');
const slug = text.max(400);
const number = z.number().min(0);
const localized = z.strictObject({ 'en-us': text, 'ar-eg': text.optional() });
const media = z.array(z.strictObject({ image: z.url(), type: text.default('image') }));
const brochure = z.strictObject({
  dateUploaded: z.iso.datetime({ offset: true }).transform((value) => new Date(value)),
  name: text,
  url: z.url(),
});
const flag = z.boolean();

const named = { slug, name: localized };
const described = { ...named, description: localized.optional() };

/** What a file may say of each kind of entry; references are slugs. */
export const entrySchemas = {
  propertyTypes: z.strictObject(named),
  amenities: z.strictObject({
    ...named,
    icon: z.url().optional(),
    fontColor: text.optional(),
    backgroundColor: text.optional(),
  }),
  compounds: z.strictObject({
    ...described,
    type: text.optional(),
    saleType: text.optional(),
    logo: z.url().optional(),
    mainImageUrl: z.url().optional(),
    mainBannerUrl: z.url().optional(),
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
    type: text.default('Phase'),
    landArea: number.optional(),
    mainImageUrl: z.url().optional(),
    media: media.optional(),
    brochures: z.array(brochure).optional(),
  }),
  unitDesigns: z.strictObject({
    ...described,
    type: text.optional(),
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
    unitId: text.max(1_024),
    recordSystemId: text.max(1_024).optional(),
    status: text.optional(),
    rentalStatus: text.optional(),
    saleType: text.optional(),
    price: number.optional(),
    bua: number.optional(),
    beds: number.optional(),
    floor: z.strictObject({ name: text }).optional(),
    media: z
      .array(
        z.strictObject({
          image: z.url(),
          imageType: text.nullable().default(null),
          type: text.default('image'),
        }),
      )
      .optional(),
    listingType: z.array(text).optional(),
    showForBrokers: flag.optional(),
  }),
} as const;

/** The kinds of entries, those first that others refer to. */
export type Kind = keyof typeof entrySchemas;
export const kinds = Object.keys(entrySchemas) as Kind[];

/** An entry of a file, and where in the file it stands. */
export interface LocatedEntry<K extends Kind> {
  readonly location: string;
  readonly entry: z.output<(typeof entrySchemas)[K]>;
}

/** Everything that a file holds. */
export type Catalogue = { readonly [K in Kind]: LocatedEntry<K>[] };

/** What keeps a file from being imported, and where it stands. */
export interface ImportError {
  readonly location: string;
  readonly message: string;
}
