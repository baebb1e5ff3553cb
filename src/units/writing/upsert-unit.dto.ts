import { FieldsTogether } from '../../core/http/validation/field.js';
import {
  BooleanField,
  ExternalIdField,
  QuantityField,
  TextField,
} from '../../core/http/validation/fields.js';
import type { Localized } from '../../core/localization/localized.js';
import { FloorField, MediaField, NameField, ReferenceField, TextsField } from './unit-fields.js';

export interface MediaInput {
  readonly image: string;
  readonly imageType?: string | null;
  readonly type?: string;
}

/** Body of `POST /units` (rule UNIT-1). */
@FieldsTogether({ anyOf: [{ required: ['recordSystemId'] }, { required: ['unitId'] }] })
export class UpsertUnitDto {
  @ExternalIdField({
    description:
      'Stable external id of the unit, used exactly as sent: later requests with it update the ' +
      'same unit. It or unitId is required.',
    example: 'ERP-4711',
  })
  recordSystemId?: string;

  @ExternalIdField({ description: 'Id of the unit within its compound.', example: 'PM-V-101' })
  unitId?: string;

  @NameField()
  name?: string | Partial<Localized>;

  @QuantityField(12_500_000)
  price?: number;

  @TextField({
    description:
      'Such as Available, Reserved or Sold; between these three, approved and open reservations ' +
      'of the unit decide.',
    example: 'Available',
  })
  status?: string;

  @TextField({ example: 'Unavailable' })
  rentalStatus?: string;

  @TextField({ example: 'primary' })
  saleType?: string;

  @ReferenceField('Name or slug of an existing property type, in any case; null for none.')
  propertyType?: string | null;

  @TextField({
    description: 'Slug of the compound; required to create. With unitId alone, where to look.',
    example: 'palm-meadows',
  })
  compound?: string;

  @ReferenceField('Slug of a phase of the compound; null for none.')
  phase?: string | null;

  @ReferenceField('Slug of a unit design; null for none.')
  unitDesign?: string | null;

  @TextsField('Names of existing amenities, in any language and case.')
  amenities?: readonly string[];

  @QuantityField(260)
  bua?: number;

  @QuantityField(3)
  beds?: number;

  @FloorField()
  floor?: { readonly name: string };

  @MediaField()
  media?: readonly MediaInput[];

  @TextsField('Such as sale or rent.')
  listingType?: readonly string[];

  @BooleanField()
  showForBrokers?: boolean;

  @BooleanField({
    description: 'true retires the unit: it is in no list any more, and its ids are free again.',
    example: false,
  })
  isDeleted?: boolean;
}
