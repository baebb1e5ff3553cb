import { RequiredField } from '../../http/validation/field.js';
import { storable, string } from '../../values/text.js';

export class SlugParam {
  @RequiredField({ description: 'The slug, percent-encoded.', example: 'palm-meadows' }, [
    string,
    storable,
  ])
  slug!: string;
}
