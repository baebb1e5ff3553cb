import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  type ApiPropertyOptions,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { pollingHeaders } from '../core/http/api-documentation.js';
import {
  AmenityDocument,
  PhaseDocument,
  PropertyTypeDocument,
  UnitDesignDocument,
} from '../catalogue/collections/unit-references.schema.js';
import { CatalogueDocument } from '../catalogue/collections/catalogue-document.js';
import { UnitDocument } from '../catalogue/collections/unit-document.js';
import { type RemovedItem, removedItemNote } from '../catalogue/visibility/hidden-parts.js';
import { type Presented, responseClass } from '../core/fields/declared-fields.js';
import { LocalizedText } from '../core/fields/object-fields.js';
import {
  BooleanField,
  CrossFieldRules,
  ExternalIdField,
  Field,
  ItemsField,
  LocalizedTextField,
  maxListItems,
  NestedField,
  QuantityField,
  ShortTextField,
  TextField,
  TextListField,
  TextOrNullField,
  UrlField,
} from '../core/validation/fields.js';
import { IsStorable } from '../core/validation/rules.js';
import { PaginationDto } from '../core/http/responses/list-paginator.js';
import type { Localized } from '../core/localization/language.js';

export class UnitDto extends responseClass(UnitDocument) {
  @ApiProperty({
    type: [responseClass(AmenityDocument)],
    description: 'Omits missing and deleted amenities.',
  })
  amenities!: readonly Presented<AmenityDocument>[];

  @ApiProperty(orNullSchema(PhaseDocument))
  phase!: Presented<PhaseDocument> | null;

  @ApiProperty(orNullSchema(PropertyTypeDocument))
  type!: Presented<PropertyTypeDocument> | null;

  @ApiProperty(orNullSchema(UnitDesignDocument))
  unitDesign!: Presented<UnitDesignDocument> | null;
}

function orNullSchema(type: Type): ApiPropertyOptions {
  return { type: responseClass(type), nullable: true, description: 'Null if missing or deleted.' };
}

export class CompoundName extends CatalogueDocument {
  @LocalizedText()
  declare name?: Localized | null;
}

export type ListedUnit = UnitDto | RemovedItem;

export type UnitRow = UnitDto & { readonly compound: Presented<CompoundName> | null };

/** Readers rely on the order, so new columns must be appended (rule UNIT-7). */
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
];

export class CompoundUnitsResponseDto {
  @ApiProperty({ type: [UnitDto] })
  data!: readonly UnitDto[];
}

export class UnitsResponseDto {
  @ApiProperty({ type: [UnitDto], description: removedItemNote })
  data!: readonly ListedUnit[];

  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}

export class UnitResponseDto {
  @ApiProperty({ type: UnitDto })
  data!: UnitDto;
}

export class UnitUpsertResponseDto {
  @ApiProperty({ type: Boolean, example: true })
  ok!: true;

  @ApiProperty({ type: String, enum: ['create', 'update'], example: 'create' })
  operation!: 'create' | 'update';

  @ApiProperty({ type: UnitDto })
  unit!: UnitDto;
}

class FloorInput {
  @ShortTextField({ required: true, example: 'Ground' })
  name!: string;
}

class UnitMediaInput {
  @UrlField({
    required: true,
    example: 'https://cdn.example.com/compounds/palm-meadows/entrance.jpg',
  })
  image!: string;

  @TextOrNullField({ description: 'floorplan for floor plans, otherwise null.' })
  imageType: string | null = null;

  @ShortTextField({ default: 'image', example: 'image' })
  type = 'image';
}

/** Fields that requests and imports may send. */
export class UnitFields {
  @TextField({
    description: 'Slug of the compound; required to create a unit. Limits the search for a unitId.',
    example: 'palm-meadows',
  })
  compound?: string;

  @TextOrNullField({ description: 'Slug of a phase of the compound; null for none.' })
  phase?: string | null;

  @TextOrNullField({ description: 'Slug of a unit design; null for none.' })
  unitDesign?: string | null;

  @TextOrNullField({
    description: 'Name or slug of an existing property type, in any case; null for none.',
  })
  propertyType?: string | null;

  @ExternalIdField({
    description:
      'Stable external id of the unit, used exactly as sent: later requests with it update the ' +
      'same unit. It or unitId is required.',
    example: 'ERP-4711',
  })
  recordSystemId?: string;

  @ExternalIdField({ description: 'Id of the unit within its compound.', example: 'PM-V-101' })
  unitId?: string;

  @LocalizedTextField({
    description: 'A plain string is in the language of the request.',
    example: { 'en-us': 'Garden Villa', 'ar-eg': 'فيلا بحديقة' },
  })
  name?: string | Partial<Localized>;

  @TextField({
    description:
      'For example Available, Reserved or Sold. These three are recognized in any case and with ' +
      'blanks around them; approved and open reservations of the unit override them.',
    example: 'Available',
  })
  status?: string;

  @TextField({ example: 'Unavailable' })
  rentalStatus?: string;

  @TextField({ example: 'primary' })
  saleType?: string;

  @QuantityField({ description: 'Built-up area in square meters.', example: 260 })
  bua?: number;

  @QuantityField({ example: 12_500_000 })
  price?: number;

  @QuantityField({ example: 3 })
  beds?: number;

  @NestedField(FloorInput, { example: { name: 'Ground' } })
  floor?: FloorInput;

  @ItemsField(UnitMediaInput, { maxItems: maxListItems })
  media?: UnitMediaInput[];

  @BooleanField()
  showForBrokers?: boolean;

  @TextListField({ description: 'Names of existing amenities, in any language and case.' })
  amenities?: readonly string[];

  @TextListField({ description: 'For example sale or rent.' })
  listingType?: readonly string[];
}

/** Body of `POST /units` (rule UNIT-1). */
@CrossFieldRules({ anyOf: [{ required: ['recordSystemId'] }, { required: ['unitId'] }] })
export class UpsertUnitDto extends UnitFields {
  @BooleanField({
    description: 'true retires the unit: lists omit it, and its ids are free again.',
    example: false,
  })
  isDeleted?: boolean;
}

export class UnitSlugParam {
  @Field(
    { required: true, description: 'The slug of the unit, percent-encoded.', example: 'pm-a-001' },
    IsString(),
    IsStorable(),
  )
  slug!: string;
}

const text = { type: 'string' as const };

export function DocumentedExport(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(UnitsResponseDto, UnitDto),
    ApiResponse({
      status: 200,
      description: 'The units.',
      headers: {
        'x-updated-as-of': pollingHeaders['x-updated-as-of'],
        'x-next-cursor': pollingHeaders['x-next-cursor'],
        'content-disposition': {
          description: 'Suggests a file name.',
          schema: { ...text, example: 'attachment; filename="units.csv"' },
        },
        'x-total-count': { description: 'How many units match.', schema: { type: 'integer' } },
        'x-truncated': {
          description:
            'true if more units match than an export may contain: continue with x-next-cursor ' +
            'as after.',
          schema: { ...text, enum: ['true'] },
        },
      },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(UnitsResponseDto) } },
        'application/x-ndjson': {
          schema: { ...text, description: 'One unit per line, each as in the JSON form.' },
        },
        'text/csv': {
          schema: {
            ...text,
            description:
              'RFC 4180 with a header line; lists are separated by |. Where a spreadsheet would ' +
              'evaluate a string (=, +, - or @ starts it or a line, or follows ;, a comma or a ' +
              "tab), it is prefixed with '.",
          },
        },
      },
    }),
  );
}

export const unitExamples = {
  'A unit of a compound': {
    recordSystemId: 'ERP-4711',
    unitId: 'PM-V-901',
    name: { 'en-us': 'Garden Villa PM-V-901', 'ar-eg': 'فيلا بحديقة PM-V-901' },
    compound: 'palm-meadows',
    phase: 'palm-meadows-date-grove',
    propertyType: 'villa',
    amenities: ['Swimming Pool', 'Gym'],
    price: 12_500_000,
    bua: 260,
    beds: 3,
    floor: { name: 'Ground' },
    listingType: ['sale'],
    status: 'Available',
  },
  'A new price': { recordSystemId: 'ERP-4711', price: 12_750_000 },
};

export const unitLinks = {
  read: { operationId: 'readUnit', parameters: { slug: '$response.body#/unit/slug' } },
};
