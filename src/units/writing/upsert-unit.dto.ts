import { OptionalExternalId, OptionalText } from '../../http/validation/field-decorators.js';
import type { Localized } from '../../localization/localized.js';
import {
  OptionalFloor,
  OptionalMedia,
  OptionalName,
  OptionalQuantity,
  OptionalReference,
  OptionalSwitch,
  OptionalTexts,
  OptionalUnitId,
} from './unit-fields.js';

/** A picture as it is sent. */
export interface MediaInput {
  readonly image: string;
  readonly imageType?: string | null;
  readonly type?: string;
}

/** Body of `POST /units` (rule UNIT-1). */
export class UpsertUnitDto {
  @OptionalExternalId({
    description:
      'Stable external id of the unit, used exactly as sent: later requests with it update the ' +
      'same unit. It or unitId is required.',
    example: 'ERP-4711',
  })
  recordSystemId?: string;

  @OptionalUnitId()
  unitId?: string;

  @OptionalName()
  name?: string | Partial<Localized>;

  @OptionalQuantity('price', 12_500_000)
  price?: number;

  @OptionalText({ description: 'Such as Available, Reserved or Sold.', example: 'Available' })
  status?: string;

  @OptionalText({ example: 'Unavailable' })
  rentalStatus?: string;

  @OptionalText({ example: 'primary' })
  saleType?: string;

  @OptionalReference('Name or slug of an existing property type, in any case; null for none.')
  propertyType?: string | null;

  @OptionalText({
    description: 'Slug of the compound; required to create. With unitId alone, where to look.',
    example: 'palm-meadows',
  })
  compound?: string;

  @OptionalReference('Slug of a phase of the compound; null for none.')
  phase?: string | null;

  @OptionalReference('Slug of a unit design; null for none.')
  unitDesign?: string | null;

  @OptionalTexts('Names of existing amenities, in any language and case.')
  amenities?: readonly string[];

  @OptionalQuantity('bua', 260)
  bua?: number;

  @OptionalQuantity('beds', 3)
  beds?: number;

  @OptionalFloor()
  floor?: { readonly name: string };

  @OptionalMedia()
  media?: readonly MediaInput[];

  @OptionalTexts('Such as sale or rent.')
  listingType?: readonly string[];

  @OptionalSwitch()
  showForBrokers?: boolean;
}
