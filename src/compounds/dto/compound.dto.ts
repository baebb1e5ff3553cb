import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  BrochureDto,
  IdField,
  ListField,
  MediaDto,
  NumberField,
  RecordDto,
  TextField,
} from '../../catalogue/presenting/catalogue.dto.js';
import { PaginationDto } from '../../http/lists/pagination.dto.js';
import type { PresentedCompound, PresentedOrganization } from '../compound.presenter.js';

/** The organization of a compound. */
export class CompoundOrganizationDto implements PresentedOrganization {
  @IdField()
  _id!: string;

  @TextField('Nile Homes')
  name!: string;

  @TextField('https://cdn.example.com/logo.png')
  logo!: string;
}

/** A compound (section 2.5). */
export class CompoundDto extends RecordDto implements PresentedCompound {
  @IdField()
  organizationId!: string;

  @TextField('Compound')
  type!: string;

  @TextField('Palm Meadows', 'In the language of the request.')
  name!: string;

  @TextField('palm-meadows')
  slug!: string;

  @TextField('Villas around a lake', 'In the language of the request.')
  description!: string;

  @TextField('primary', 'Such as primary or resale.')
  saleType!: string;

  @TextField('https://cdn.example.com/compounds/palm-meadows/logo.png')
  logo!: string;

  @TextField('https://cdn.example.com/compounds/palm-meadows/main.jpg')
  mainImageUrl!: string;

  @TextField('https://cdn.example.com/compounds/palm-meadows/banner.jpg')
  mainBannerUrl!: string;

  @ApiProperty({ type: [MediaDto] })
  media!: readonly MediaDto[];

  @ApiProperty({ type: [MediaDto] })
  constructionUpdates!: readonly MediaDto[];

  @ApiProperty({ type: BrochureDto, description: 'Its fields are empty where there is none.' })
  mainBrochure!: BrochureDto;

  @ApiProperty({ type: [BrochureDto] })
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

  @ApiProperty({ type: CompoundOrganizationDto })
  organization!: CompoundOrganizationDto;
}

/** Answer of `GET /compounds`. */
export class CompoundsAnswerDto {
  @ApiProperty({ type: [CompoundDto] })
  data!: readonly CompoundDto[];

  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}
