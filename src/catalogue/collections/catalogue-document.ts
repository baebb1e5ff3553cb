import type { Types } from 'mongoose';
import type { DeletableDocument } from '../../database/documents/tenant-document.js';

/** What every document of the catalogue carries; `__v` is an internal version key. */
export interface CatalogueDocument extends DeletableDocument {
  __v: number;
}

/** A picture of a compound, phase or unit design. */
export interface MediaItem {
  image: string;
  type: string;
}

/** A downloadable brochure. */
export interface Brochure {
  dateUploaded: Date;
  name: string;
  url: string;
}

/** Who reviewed and approved something, and when. */
export interface ReviewState {
  approveStatus: string;
  approvedById: Types.ObjectId | null;
  approvedDate: Date | null;
  reviewStatus: string;
  reviewedById: Types.ObjectId | null;
  reviewedDate: Date | null;
}
