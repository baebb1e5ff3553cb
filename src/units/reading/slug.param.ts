import { Field } from '../../core/http/validation/field.js';
import { storable, string } from '../../core/values/text.js';

/** The slug of a compound in a path. */
export class CompoundSlugParam {
  @Field(
    {
      required: true,
      description: 'The slug of the compound, percent-encoded.',
      example: 'palm-meadows',
    },
    [string, storable],
  )
  slug!: string;
}

/** The slug of a unit in a path. */
export class UnitSlugParam {
  @Field(
    { required: true, description: 'The slug of the unit, percent-encoded.', example: 'pm-a-001' },
    [string, storable],
  )
  slug!: string;
}
