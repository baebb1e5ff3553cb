import {
  PresentedBoolean,
  PresentedId,
  PresentedNullableId,
  PresentedNullableTime,
  PresentedNumber,
  PresentedText,
  PresentedTime,
  PresentedTimeOrEmpty,
} from './presented-fields.js';

/** What every document of the catalogue shows. */
export class DocumentDto {
  @PresentedId()
  _id!: string;

  @PresentedBoolean()
  isDeleted!: boolean;

  @PresentedTime()
  createdAt!: string;

  @PresentedTime()
  updatedAt!: string;

  @PresentedNumber(0, 'An internal version key.')
  __v!: number;
}

export class MediaDto {
  @PresentedText('https://cdn.example.com/compounds/palm-meadows/entrance.jpg')
  image!: string;

  @PresentedText('image')
  type!: string;
}

export class BrochureDto {
  @PresentedTimeOrEmpty()
  dateUploaded!: string;

  @PresentedText('Master plan')
  name!: string;

  @PresentedText('https://cdn.example.com/compounds/palm-meadows/brochure.pdf')
  url!: string;
}

/** A document with who reviewed and approved it, and when. */
export class ReviewedDocumentDto extends DocumentDto {
  @PresentedText('Approved')
  approveStatus!: string;

  @PresentedNullableId()
  approvedById!: string | null;

  @PresentedNullableTime()
  approvedDate!: string | null;

  @PresentedText('Reviewed')
  reviewStatus!: string;

  @PresentedNullableId()
  reviewedById!: string | null;

  @PresentedNullableTime()
  reviewedDate!: string | null;
}
