import { ApiProperty } from '@nestjs/swagger';

/** What a healthy service answers. */
export const healthExample = { description: 'Integration API', ok: true, version: 'v1.0' };

/** Answer of `GET /healthz` (section 2.4). */
export class HealthDto {
  @ApiProperty({ type: String, example: 'Integration API' })
  description!: string;

  @ApiProperty({ type: Boolean, description: 'Whether the database answers.', example: true })
  ok!: boolean;

  @ApiProperty({ type: String, description: 'Version of the API.', example: 'v1.0' })
  version!: string;
}
