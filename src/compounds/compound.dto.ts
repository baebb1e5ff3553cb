import { ApiProperty } from '@nestjs/swagger';
import { BrochureDto, DocumentDto, MediaDto } from '../catalogue/presenting/catalogue.dto.js';
import {
  PresentedBoolean,
  PresentedId,
  PresentedList,
  PresentedLocalized,
  PresentedNumber,
  PresentedObject,
  PresentedObjects,
  PresentedText,
} from '../catalogue/presenting/presented-fields.js';
import { PaginationDto } from '../core/http/lists/pages.js';

export class CompoundOrganizationDto {
  @PresentedId()
  _id!: string;

  @PresentedText('Nile Homes')
  name!: string;

  @PresentedText('https://cdn.example.com/logo.png')
  logo!: string;
}

/** The fields of a compound's own document (rule COMP-4). */
export class CompoundFieldsDto extends DocumentDto {
  @PresentedId()
  organizationId!: string;

  @PresentedText('Compound')
  type!: string;

  @PresentedLocalized('Palm Meadows', 'In the language of the request.')
  name!: string;

  @PresentedText('palm-meadows')
  slug!: string;

  @PresentedLocalized('Villas around a lake', 'In the language of the request.')
  description!: string;

  @PresentedText('primary', 'Such as primary or resale.')
  saleType!: string;

  @PresentedText('https://cdn.example.com/compounds/palm-meadows/logo.png')
  logo!: string;

  @PresentedText('https://cdn.example.com/compounds/palm-meadows/main.jpg')
  mainImageUrl!: string;

  @PresentedText('https://cdn.example.com/compounds/palm-meadows/banner.jpg')
  mainBannerUrl!: string;

  @PresentedObjects(MediaDto)
  media!: readonly MediaDto[];

  @PresentedObjects(MediaDto)
  constructionUpdates!: readonly MediaDto[];

  @PresentedObject(BrochureDto, 'Its fields are empty where there is none.')
  mainBrochure!: BrochureDto;

  @PresentedObjects(BrochureDto)
  brochures!: readonly BrochureDto[];

  @PresentedNumber(420_000, 'Square meters.')
  area!: number;

  @PresentedNumber(1_200)
  numberOfUnits!: number;

  @PresentedBoolean()
  showOnMap!: boolean;

  @PresentedBoolean()
  isPublished!: boolean;

  @PresentedBoolean()
  isPublic!: boolean;

  @PresentedBoolean()
  mapHealthCheck!: boolean;

  @PresentedBoolean()
  isNewLaunch!: boolean;

  @PresentedBoolean()
  allowPriceRange!: boolean;

  @PresentedBoolean()
  showInLeadFeedback!: boolean;

  @PresentedBoolean()
  isAdminOnly!: boolean;

  @PresentedBoolean()
  showInEcommerce!: boolean;

  @PresentedList()
  EOIUnitTypes!: readonly unknown[];

  @PresentedList()
  EOIUnitPreferences!: readonly unknown[];

  @PresentedList()
  EOIForm!: readonly unknown[];

  @PresentedList()
  offerJsons!: readonly unknown[];

  @PresentedList()
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
