import {
  flagOf,
  idOf,
  idOrNull,
  numberOf,
  objectOf,
  objectsOf,
  type Stored,
  textOf,
  timeOf,
  timeOrNull,
} from '../../database/documents/stored-values.js';
import type { CatalogueDocument } from '../collections/catalogue-document.js';

/** What every document of the catalogue shows. */
export interface PresentedRecord {
  readonly _id: string;
  readonly isDeleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly __v: number;
}

/** A picture as it is shown. */
export interface PresentedMedia {
  readonly image: string;
  readonly type: string;
}

/** A brochure as it is shown. */
export interface PresentedBrochure {
  readonly dateUploaded: string;
  readonly name: string;
  readonly url: string;
}

/** A review as it is shown. */
export interface PresentedReview {
  readonly approveStatus: string;
  readonly approvedById: string | null;
  readonly approvedDate: string | null;
  readonly reviewStatus: string;
  readonly reviewedById: string | null;
  readonly reviewedDate: string | null;
}

/** The fields that every document of the catalogue shows. */
export function presentRecord(document: Stored<CatalogueDocument>): PresentedRecord {
  return {
    _id: idOf(document._id),
    isDeleted: flagOf(document.isDeleted),
    createdAt: timeOf(document.createdAt),
    updatedAt: timeOf(document.updatedAt),
    __v: numberOf(document.__v),
  };
}

/** A list of pictures. */
export function presentMedia(stored: unknown): PresentedMedia[] {
  return objectsOf(stored).map(({ image, type }) => ({ image: textOf(image), type: textOf(type) }));
}

/** A brochure; its fields are empty where there is none. */
export function presentBrochure(stored: unknown): PresentedBrochure {
  const { dateUploaded, name, url } = objectOf(stored);
  return { dateUploaded: timeOf(dateUploaded), name: textOf(name), url: textOf(url) };
}

/** A list of brochures. */
export function presentBrochures(stored: unknown): PresentedBrochure[] {
  return objectsOf(stored).map(presentBrochure);
}

/** Who reviewed and approved something, and when. */
export function presentReview(stored: Stored<PresentedReview>): PresentedReview {
  return {
    approveStatus: textOf(stored.approveStatus),
    approvedById: idOrNull(stored.approvedById),
    approvedDate: timeOrNull(stored.approvedDate),
    reviewStatus: textOf(stored.reviewStatus),
    reviewedById: idOrNull(stored.reviewedById),
    reviewedDate: timeOrNull(stored.reviewedDate),
  };
}
