import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { requestClass } from '../../catalogue/fields/derived-classes.js';
import { FieldsTogether } from '../../core/http/validation/field.js';
import { BooleanField } from '../../core/http/validation/fields.js';

/** Body of `POST /units` (rule UNIT-1). */
@FieldsTogether({ anyOf: [{ required: ['recordSystemId'] }, { required: ['unitId'] }] })
export class UpsertUnitDto extends requestClass(UnitDocument) {
  declare compound?: string;
  declare phase?: string | null;
  declare propertyType?: string | null;
  declare unitDesign?: string | null;
  declare amenities?: readonly string[];

  @BooleanField({
    description: 'true retires the unit: it is in no list any more, and its ids are free again.',
    example: false,
  })
  declare isDeleted?: boolean;
}
