import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  AmenityDocument,
  PhaseDocument,
  PropertyTypeDocument,
  UnitDesignDocument,
} from '../catalogue/collections/unit-references.schema.js';
import { CatalogueDocument } from '../catalogue/collections/catalogue-document.js';
import { UnitDocument } from '../catalogue/collections/unit-document.js';
import { columnsOf, type Shown } from '../core/fields/declared-fields.js';
import { requestClass, shownClass } from '../core/fields/derived-classes.js';
import { LocalizedText } from '../core/fields/object-fields.js';
import { Field, FieldsTogether } from '../core/http/validation/field.js';
import { BooleanField } from '../core/http/validation/fields.js';
import { storable, string } from '../core/values/text.js';
import { PaginationDto } from '../core/http/lists/pages.js';
import type { Localized } from '../core/localization/language.js';

export class UnitDto extends shownClass(UnitDocument) {
  @ApiProperty({
    type: [shownClass(AmenityDocument)],
    description: 'Without missing and deleted ones.',
  })
  amenities!: readonly Shown<AmenityDocument>[];

  @ApiProperty(orNull(PhaseDocument))
  phase!: Shown<PhaseDocument> | null;

  @ApiProperty(orNull(PropertyTypeDocument))
  type!: Shown<PropertyTypeDocument> | null;

  @ApiProperty(orNull(UnitDesignDocument))
  unitDesign!: Shown<UnitDesignDocument> | null;
}

function orNull(type: Type): ApiPropertyOptions {
  return { type: shownClass(type), nullable: true, description: 'Null when missing or deleted.' };
}

export class CompoundName extends CatalogueDocument {
  @LocalizedText()
  declare name?: Localized | null;
}

export type UnitRow = UnitDto & { readonly compound: Shown<CompoundName> | null };

/** Readers rely on this order; new columns follow at the end (rule UNIT-7). */
export const unitColumns: readonly (keyof UnitRow)[] = [
  '_id',
  'unitId',
  'recordSystemId',
  'name',
  'slug',
  'status',
  'rentalStatus',
  'saleType',
  'price',
  'bua',
  'beds',
  'floor',
  'type',
  'phase',
  'unitDesign',
  'amenities',
  'listingType',
  'media',
  'showForBrokers',
  'isAdminOnly',
  'allowToTaskeen',
  'organizationId',
  'locationId',
  'propertyTypeId',
  'unitDesignId',
  'buildingId',
  'finishingTypeId',
  'isDeleted',
  'createdAt',
  'updatedAt',
  'compound',
  'compoundId',
  ...columnsOf(UnitDocument),
];

export class CompoundUnitsResponseDto {
  @ApiProperty({ type: [UnitDto] })
  data!: readonly UnitDto[];
}

export class UnitsResponseDto extends CompoundUnitsResponseDto {
  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}

export class UnitResponseDto {
  @ApiProperty({ type: UnitDto })
  data!: UnitDto;
}

export class UnitUpsertResponseDto {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  ok!: true;

  @ApiProperty({ type: String, enum: ['create', 'update'], example: 'create' })
  operation!: 'create' | 'update';

  @ApiProperty({ type: UnitDto })
  unit!: UnitDto;
}

@FieldsTogether({ anyOf: [{ required: ['recordSystemId'] }, { required: ['unitId'] }] })
export class UpsertUnitDto extends requestClass(UnitDocument) {
  declare compound?: string;
  declare phase?: string | null;
  declare propertyType?: string | null;
  declare unitDesign?: string | null;
  declare amenities?: readonly string[];

  @BooleanField({
    description: 'true retires the unit: it is in no list any more, and its ids are free again.',
    example: false,
  })
  declare isDeleted?: boolean;
}

export class CompoundSlugParam {
  @Field(
    {
      required: true,
      description: 'The slug of the compound, percent-encoded.',
      example: 'palm-meadows',
    },
    [string, storable],
  )
  slug!: string;
}

export class UnitSlugParam {
  @Field(
    { required: true, description: 'The slug of the unit, percent-encoded.', example: 'pm-a-001' },
    [string, storable],
  )
  slug!: string;
}
