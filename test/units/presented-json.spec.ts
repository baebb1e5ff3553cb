import { beforeAll, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import fc from 'fast-check';
import { BSON, Decimal128, Long, ObjectId } from 'mongodb';
import { CompoundFieldsDto, CompoundOrganizationDto } from '../../src/compounds/compound.dto.js';
import { type Language, languages } from '../../src/core/localization/language.js';
import { UnitFieldsDto } from '../../src/units/unit.dto.js';
import {
  AmenityDto,
  PhaseDto,
  PropertyTypeDto,
  UnitDesignDto,
} from '../../src/catalogue/references/references.dto.js';
import { present, writePresented } from '../../src/catalogue/presenting/present.js';
import { RawDocument } from '../../src/core/database/documents/raw-document.js';
import { JsonBytes } from '../../src/core/values/json-bytes.js';

// How values of the database appear in JSON.
beforeAll(() => import('../../src/core/database/connection/mongoose-settings.js'));

const shapes: readonly Type<object>[] = [
  UnitFieldsDto,
  CompoundFieldsDto,
  CompoundOrganizationDto,
  AmenityDto,
  PhaseDto,
  PropertyTypeDto,
  UnitDesignDto,
];

const scalar = fc.oneof(
  fc.constantFrom(undefined, null, '', -0, Number.NaN, Infinity, 1e21, 5e-324, 2 ** 53),
  fc.constantFrom('\u{D800}', '"\\\u{0}\n\u{2028}', 'ar-eg', '__proto__'),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.boolean(),
  fc.date({ noInvalidDate: false }),
  fc.constantFrom(new ObjectId(), Long.fromString('9007199254740993'), Long.MIN_VALUE),
  fc.constantFrom(Decimal128.fromString('1.50'), Decimal128.fromString('NaN')),
);
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, tie('object'), fc.array(tie('value'), { maxLength: 3 })),
  object: fc.dictionary(
    fc.constantFrom('en-us', 'ar-eg', 'image', 'imageType', 'type', 'name', 'approvedDate', '_id'),
    tie('value'),
    { maxKeys: 4 },
  ),
}));

/** The names of all fields that a class shows. */
const namesOf = (shape: Type<object>) => Object.keys(present(shape, {}, 'en-us'));

function written(
  shape: Type<object>,
  document: { readonly bytes: Uint8Array },
  language: Language,
  rest?: string,
) {
  const json = new JsonBytes();
  writePresented(json, shape, document, language, rest);
  return json.take().toString();
}

it.each(shapes)('%p has the JSON of its object, whatever is stored', (shape) => {
  const stored = fc.record(
    Object.fromEntries([...namesOf(shape), 'recordSystemId'].map((name) => [name, anything])),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(stored, fc.constantFrom(...languages), (document, language) => {
      const raw = new RawDocument(BSON.serialize(document));
      const object = present(shape, raw.decoded(), language);
      expect(written(shape, raw, language)).toBe(JSON.stringify(object));
      expect(written(shape, raw, language, ',"last":1')).toBe(
        JSON.stringify({ ...object, last: 1 }),
      );
    }),
  );
});

it('replaces what is no UTF-8 in a stored text', () => {
  const bytes = BSON.serialize({ name: 'a?b', logo: '' });
  bytes[bytes.indexOf('?'.charCodeAt(0))] = 0xff;
  const shown = JSON.parse(written(CompoundOrganizationDto, { bytes }, 'en-us')) as object;
  const expected = { _id: '', name: 'a\u{FFFD}b', logo: '' };
  expect(shown).toEqual(expected);
  expect(present(CompoundOrganizationDto, new RawDocument(bytes).decoded(), 'en-us')).toEqual(
    expected,
  );
});
