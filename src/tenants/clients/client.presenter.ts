import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { textsOf } from '../../core/values/text.js';
import { phonesLimit } from './client-merge.js';
import type { ClientDocument } from './client.schema.js';
import { phoneLimit } from '../contacts/phone-number.js';

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

/** A client as outbound events show it. */
export function presentClient(client: ClientDocument): ClientDto {
  return {
    _id: client._id.toHexString(),
    ...(client.name === undefined ? {} : { name: client.name }),
    ...(client.email === undefined ? {} : { email: client.email }),
    phoneNumbers: shownPhones(textsOf(client.phoneNumbers)),
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}

/** Other programs may have stored any number of phones of any length. */
function shownPhones(phones: readonly string[]): string[] {
  return phones.filter((phone) => phone.length <= phoneLimit).slice(0, phonesLimit);
}
