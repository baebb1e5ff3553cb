import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const time = { type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' } as const;

/** A client as outbound events show it, for the reference. */
export class ClientDto {
  @ApiProperty({ type: String, pattern: '^[0-9a-f]{24}$', example: '6740b1f2c3d4e5f607182931' })
  _id!: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Mona Adel' })
  name?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'mona@example.com' })
  email?: string | null;

  @ApiProperty({ type: [String], example: ['+201001234567'] })
  phoneNumbers!: readonly string[];

  @ApiProperty(time)
  createdAt!: string;

  @ApiProperty(time)
  updatedAt!: string;
}
