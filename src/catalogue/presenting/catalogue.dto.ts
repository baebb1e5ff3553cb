import { ApiProperty } from '@nestjs/swagger';
import type {
  PresentedBrochure,
  PresentedMedia,
  PresentedRecord,
  PresentedReview,
} from './catalogue.presenter.js';

const idPattern = '^([0-9a-f]{24})?$';
const exampleId = '6740b1f2c3d4e5f607182930';

/** An id; empty where the record refers to nothing. */
export const IdField = (description?: string): PropertyDecorator =>
  ApiProperty({ type: String, pattern: idPattern, example: exampleId, ...described(description) });

/** An id or null. */
const NullableIdField = (): PropertyDecorator =>
  ApiProperty({ type: String, pattern: idPattern, nullable: true, example: null });

/** A list of ids. */
export const IdsField = (): PropertyDecorator =>
  ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: idPattern },
    example: [exampleId],
  });

/** A text; empty where there is none. */
export const TextField = (example: string, description?: string): PropertyDecorator =>
  ApiProperty({ type: String, example, ...described(description) });

/** A number; 0 where there is none. */
export const NumberField = (example: number, description?: string): PropertyDecorator =>
  ApiProperty({ type: Number, example, ...described(description) });

/** A switch; false where there is none. */
export const BooleanField = (): PropertyDecorator => ApiProperty({ type: Boolean, example: false });

/** A list of anything. */
export const ListField = (): PropertyDecorator =>
  ApiProperty({ type: 'array', items: {}, example: [] });

/** A time. */
const TimeField = (): PropertyDecorator =>
  ApiProperty({ type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' });

/** A time or null. */
const NullableTimeField = (): PropertyDecorator =>
  ApiProperty({ type: String, format: 'date-time', nullable: true, example: null });

/** What every record of the catalogue has. */
export class RecordDto implements PresentedRecord {
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

/** A picture. */
export class MediaDto implements PresentedMedia {
  @TextField('https://cdn.example.com/compounds/palm-meadows/entrance.jpg')
  image!: string;

  @TextField('image')
  type!: string;
}

/** A brochure. */
export class BrochureDto implements PresentedBrochure {
  @TextField('2026-01-05T09:30:00.000Z', 'ISO 8601.')
  dateUploaded!: string;

  @TextField('Master plan')
  name!: string;

  @TextField('https://cdn.example.com/compounds/palm-meadows/brochure.pdf')
  url!: string;
}

/** Who reviewed and approved something, and when. */
export class ReviewedRecordDto extends RecordDto implements PresentedReview {
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

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
