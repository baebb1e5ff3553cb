import { ApiProperty } from '@nestjs/swagger';
import { type Language, languages } from '../../../core/localization/language.js';
import { type Operation, operations, type Visibility, visibilities } from '../operations.js';

const exampleId = '6740b1f2c3d4e5f607182930';

class KeyOrganizationDto {
  @ApiProperty({ type: String, example: exampleId })
  _id!: string;

  @ApiProperty({ type: String, example: 'Nile Homes' })
  name!: string;
}

class KeyRateLimitDto {
  @ApiProperty({ type: Number, example: 100 })
  requestsPerSecond!: number;

  @ApiProperty({ type: Number, description: 'Requests that may arrive at once.', example: 200 })
  burst!: number;
}

export class KeyDto {
  @ApiProperty({ type: String, example: exampleId })
  _id!: string;

  @ApiProperty({ type: String, description: 'As the operator named the key.', example: 'Website' })
  name!: string;

  @ApiProperty({ type: KeyOrganizationDto })
  organization!: KeyOrganizationDto;

  @ApiProperty({
    type: String,
    isArray: true,
    enum: operations,
    description: 'What the key permits.',
    example: ['leads.write'],
  })
  operations!: readonly Operation[];

  @ApiProperty({
    type: String,
    enum: visibilities,
    description: '`public`: the key does not see what the organization does not publish.',
    example: 'all',
  })
  visibility!: Visibility;

  @ApiProperty({ type: Boolean, description: 'True if callbacks must be signed.', example: false })
  signed!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null if the key does not expire.',
    example: '2030-01-31T00:00:00.000Z',
  })
  expiresAt!: string | null;

  @ApiProperty({
    type: KeyRateLimitDto,
    nullable: true,
    description: "The key's own limit, or else the service's. Null without a limit.",
  })
  rateLimit!: KeyRateLimitDto | null;

  @ApiProperty({
    type: String,
    enum: languages,
    description: 'Language of this request.',
    example: 'en-us',
  })
  language!: Language;
}

export class KeyResponseDto {
  @ApiProperty({ type: KeyDto })
  data!: KeyDto;
}
