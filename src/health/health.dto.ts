import { ApiProperty } from '@nestjs/swagger';

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

export const healthy: HealthDto = { description: 'Integration API', ok: true, version: 'v1.0' };
export const unhealthy: HealthDto = { ...healthy, ok: false };
