import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { asTime } from '../../core/database/documents/stored-values.js';
import { asObject } from '../../core/values/json.js';
import { asTexts } from '../../core/values/text.js';
import type { ClientDocument } from './client.schema.js';
import { maxPhoneLength } from '../../tenants/contacts/phone-reading.js';

export const maxPhones = 100;

const time = { type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' } as const;

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

export function presentClient(client: ClientDocument): ClientDto {
  return {
    _id: client._id.toHexString(),
    ...(client.name === undefined ? {} : { name: client.name }),
    ...(client.email === undefined ? {} : { email: client.email }),
    phoneNumbers: shownPhones(asTexts(client.phoneNumbers)),
    createdAt: asTime(client.createdAt),
    updatedAt: asTime(client.updatedAt),
  };
}

/** Other programs may store any number of phones of any length. */
function shownPhones(phones: readonly string[]): string[] {
  return phones.filter((phone) => phone.length <= maxPhoneLength).slice(0, maxPhones);
}

/** Stored events keep their shape but lose the person's name, email and phones (rule LEAD-15). */
export function redactClientData(data: object): object {
  const { name: _name, email: _email, ...rest } = asObject(data);
  return { ...rest, phoneNumbers: [] };
}

export function redactClientChanges(changes: readonly object[]): object[] {
  return changes.map((change) => {
    const { field } = asObject(change);
    return field === 'phoneNumbers' ? { field, added: [] } : { field, from: null, to: null };
  });
}
