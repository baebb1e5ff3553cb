import { ApiProperty } from '@nestjs/swagger';

export const healthExample = { description: 'Integration API', ok: true, version: 'v1.0' };

/** Rule HTTP-3. */
export class HealthDto {
  @ApiProperty({ type: String, example: 'Integration API' })
  description!: string;

  @ApiProperty({
    type: Boolean,
    description: 'Whether the database responds and the service goes on accepting requests.',
    example: true,
  })
  ok!: boolean;

  @ApiProperty({ type: String, description: 'Version of the API.', example: 'v1.0' })
  version!: string;
}
