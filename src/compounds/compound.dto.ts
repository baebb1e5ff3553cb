import { ApiProperty } from '@nestjs/swagger';
import { BrochureDto, DocumentDto, MediaDto } from '../catalogue/presenting/catalogue.dto.js';
import {
  BooleanField,
  IdField,
  ListField,
  LocalizedField,
  NumberField,
  ObjectField,
  ObjectsField,
  TextField,
} from '../catalogue/presenting/fields.js';
import { PaginationDto } from '../http/lists/pagination.dto.js';

export class CompoundOrganizationDto {
  @IdField()
  _id!: string;

  @TextField('Nile Homes')
  name!: string;

  @TextField('https://cdn.example.com/logo.png')
  logo!: string;
}

/** The fields of a compound's own document (rule COMP-4). */
export class CompoundFieldsDto extends DocumentDto {
  @IdField()
  organizationId!: string;

  @TextField('Compound')
  type!: string;

  @LocalizedField('Palm Meadows', 'In the language of the request.')
  name!: string;

  @TextField('palm-meadows')
  slug!: string;

  @LocalizedField('Villas around a lake', 'In the language of the request.')
  description!: string;

  @TextField('primary', 'Such as primary or resale.')
  saleType!: string;

  @TextField('https://cdn.example.com/compounds/palm-meadows/logo.png')
  logo!: string;

  @TextField('https://cdn.example.com/compounds/palm-meadows/main.jpg')
  mainImageUrl!: string;

  @TextField('https://cdn.example.com/compounds/palm-meadows/banner.jpg')
  mainBannerUrl!: string;

  @ObjectsField(MediaDto)
  media!: readonly MediaDto[];

  @ObjectsField(MediaDto)
  constructionUpdates!: readonly MediaDto[];

  @ObjectField(BrochureDto, 'Its fields are empty where there is none.')
  mainBrochure!: BrochureDto;

  @ObjectsField(BrochureDto)
  brochures!: readonly BrochureDto[];

  @NumberField(420_000, 'Square meters.')
  area!: number;

  @NumberField(1_200)
  numberOfUnits!: number;

  @BooleanField()
  showOnMap!: boolean;

  @BooleanField()
  isPublished!: boolean;

  @BooleanField()
  isPublic!: boolean;

  @BooleanField()
  mapHealthCheck!: boolean;

  @BooleanField()
  isNewLaunch!: boolean;

  @BooleanField()
  allowPriceRange!: boolean;

  @BooleanField()
  showInLeadFeedback!: boolean;

  @BooleanField()
  isAdminOnly!: boolean;

  @BooleanField()
  showInEcommerce!: boolean;

  @ListField()
  EOIUnitTypes!: readonly unknown[];

  @ListField()
  EOIUnitPreferences!: readonly unknown[];

  @ListField()
  EOIForm!: readonly unknown[];

  @ListField()
  offerJsons!: readonly unknown[];

  @ListField()
  commercialBuildingsOrder!: readonly unknown[];
}

/** A compound with its organization (rule COMP-4). */
export class CompoundDto extends CompoundFieldsDto {
  @ApiProperty({ type: CompoundOrganizationDto })
  organization!: CompoundOrganizationDto;
}

export class CompoundsResponseDto {
  @ApiProperty({ type: [CompoundDto] })
  data!: readonly CompoundDto[];

  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}
