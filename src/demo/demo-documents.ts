import { createHash } from 'node:crypto';
import { Types } from 'mongoose';
import type {
  CatalogueDocument,
  MediaItem,
  ReviewState,
} from '../catalogue/collections/catalogue-document.js';
import type { Localized } from '../localization/localized.js';
import type { AmenityKey, CompoundContent, DesignContent } from './demo-catalogue-content.js';

/** Whose catalogue is made, and when. */
export interface Owner {
  organizationId: Types.ObjectId;
  now: Date;
}

const DAY = 24 * 60 * 60 * 1000;

/** A review that has not begun. */
export const notReviewed: ReviewState = {
  approveStatus: 'Pending',
  approvedById: null,
  approvedDate: null,
  reviewStatus: 'Pending',
  reviewedById: null,
  reviewedDate: null,
};

/** The fields that every document has; a document's age is told in days before `now`. */
export function storedFields(
  owner: Owner,
  { kind, slug, ageInDays }: { kind: string; slug: string; ageInDays: number },
): CatalogueDocument {
  const createdAt = owner.now.getTime() - ageInDays * DAY;
  const untouchedDays = ageInDays % 10;
  return {
    _id: idOf(owner, kind, slug),
    organizationId: owner.organizationId,
    isDeleted: false,
    createdAt: new Date(createdAt),
    updatedAt: new Date(createdAt + untouchedDays * DAY),
    __v: 0,
  };
}

/** The id of a record, the same each time that the catalogue is made. */
export function idOf({ organizationId }: Owner, kind: string, slug: string): Types.ObjectId {
  const digest = createHash('sha256').update(`${organizationId.toHexString()}/${kind}/${slug}`);
  return new Types.ObjectId(digest.digest('hex').slice(0, 24));
}

/** The id of a compound. */
export function compoundIdOf(owner: Owner, compound: CompoundContent): Types.ObjectId {
  return idOf(owner, 'compound', slugOf(compound));
}

/** The id of the phase that a design is built in, or of the compound when it has none. */
export function locationIdOf(owner: Owner, compound: CompoundContent, { block }: DesignContent) {
  if (block.phase === undefined) return compoundIdOf(owner, compound);
  return idOf(owner, 'phase', `${compound.key}-${block.phase}`);
}

/** The ids of amenities. */
export function amenityIdsOf(owner: Owner, keys: readonly AmenityKey[]): Types.ObjectId[] {
  return keys.map((key) => idOf(owner, 'amenity', key));
}

/** The slug of a compound. */
export function slugOf({ key, slug }: CompoundContent): string {
  return slug ?? key;
}

/** A name with something behind it, in every language that it has. */
export function withSuffix(name: Localized, suffix: string): Localized {
  const arabic = name['ar-eg'];
  return {
    'en-us': `${name['en-us']} ${suffix}`,
    ...(arabic !== undefined && { 'ar-eg': `${arabic} ${suffix}` }),
  };
}

/** A picture at a path of the demo's assets. */
export function picture(path: string): MediaItem {
  return { image: assetUrl(path), type: 'image' };
}

/** The address of a demo asset. */
export function assetUrl(path: string): string {
  return `https://cdn.example.com/${path}`;
}

/** A review that ended well at a time. */
export function approvedAt(date: Date): ReviewState {
  return {
    ...notReviewed,
    approveStatus: 'Approved',
    approvedDate: date,
    reviewStatus: 'Reviewed',
    reviewedDate: date,
  };
}
