import {
  BooleanField,
  IdField,
  NullableIdField,
  NullableTimeField,
  NumberField,
  TextField,
  TimeField,
  TimeOrEmptyField,
} from './fields.js';

/** What every document of the catalogue shows. */
export class DocumentDto {
  @IdField()
  _id!: string;

  @BooleanField()
  isDeleted!: boolean;

  @TimeField()
  createdAt!: string;

  @TimeField()
  updatedAt!: string;

  @NumberField(0, 'An internal version key.')
  __v!: number;
}

export class MediaDto {
  @TextField('https://cdn.example.com/compounds/palm-meadows/entrance.jpg')
  image!: string;

  @TextField('image')
  type!: string;
}

export class BrochureDto {
  @TimeOrEmptyField()
  dateUploaded!: string;

  @TextField('Master plan')
  name!: string;

  @TextField('https://cdn.example.com/compounds/palm-meadows/brochure.pdf')
  url!: string;
}

/** A document with who reviewed and approved it, and when. */
export class ReviewedDocumentDto extends DocumentDto {
  @TextField('Approved')
  approveStatus!: string;

  @NullableIdField()
  approvedById!: string | null;

  @NullableTimeField()
  approvedDate!: string | null;

  @TextField('Reviewed')
  reviewStatus!: string;

  @NullableIdField()
  reviewedById!: string | null;

  @NullableTimeField()
  reviewedDate!: string | null;
}
