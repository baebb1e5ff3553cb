import type { Types } from 'mongoose';
import { NullableId, NullableText, NullableTime, Quantity, Text } from '../fields/fields.js';
import { webAddress } from '../fields/sent-values.js';

/** A picture of a unit; `imageType` is null for general images, `floorplan` for floor plans. */
export class UnitMedia {
  @Text({
    example: 'https://cdn.example.com/compounds/palm-meadows/entrance.jpg',
    kind: webAddress,
    imported: 'required',
  })
  image!: string;

  @NullableText({ description: 'floorplan, or null.', imported: true, default: null })
  imageType!: string | null;

  @Text({ example: 'image', imported: true, default: 'image' })
  type!: string;
}

/** The review of one aspect of a unit, and who approved it when. */
export class UnitReview {
  @Quantity({ example: 0, description: '0 when nothing was found.' })
  hasIssue!: number;

  @Text({ example: 'unitDesign' })
  type!: string;

  @Text({ example: 'Approved' })
  approveStatus!: string;

  @NullableId()
  approvedById!: Types.ObjectId | null;

  @NullableTime()
  approvedDate!: Date | null;

  @Text({ example: 'Reviewed' })
  reviewStatus!: string;

  @NullableId()
  reviewedById!: Types.ObjectId | null;

  @NullableTime()
  reviewedDate!: Date | null;
}

export class Floor {
  @Text({ example: 'Ground', imported: 'required' })
  name!: string;
}
