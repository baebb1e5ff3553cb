import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Schema, SchemaFactory } from '@nestjs/mongoose';
import { fieldNamesOf } from '../validation/dto-reader.js';
import { validatedDto } from '../validation/validate-dto.js';
import {
  csvColumnsOf,
  present,
  referencesOf,
  storedFields,
  importClass,
  requestClass,
} from './declared-fields.js';
import { Quantity, Reference, Text } from './fields.js';
import { EmbeddedObjects } from './object-fields.js';

class Picture {
  @Text({ imported: 'required' })
  image!: string;

  @Text({ imported: true, default: 'image' })
  type!: string;
}

@Schema()
class Garden {
  @Text({ example: 'Roses', sent: true, imported: 'required', column: true })
  flowers?: string;

  @Quantity({ example: 3, imported: true })
  trees?: number;

  @Reference('phases', { as: 'phase' })
  locationId?: string;

  @EmbeddedObjects(Picture, { imported: true })
  pictures?: Picture[];

  @Text({ stored: false })
  shownOnly?: string;
}

const Request = requestClass(Garden) as new () => object;
const Entry = importClass(Garden) as new () => object;
const invalid = (type: new () => object, sent: Record<string, unknown>) =>
  validatedDto(type, sent).messages.map(({ values }) => values?.['property']);

describe('the declaration of a field', () => {
  it('stores the field unless it sets stored: false', () => {
    const { paths } = SchemaFactory.createForClass(Garden);
    const stored = ['flowers', 'trees', 'locationId', 'pictures'];
    expect(Object.keys(paths).filter((path) => path !== '_id')).toEqual(stored);
  });

  it('shows fields in the order of declaration, with an empty value for a wrong type', () => {
    expect(present(Garden, { trees: 'x', flowers: 'Lilies' }, 'en-us')).toStrictEqual({
      flowers: 'Lilies',
      trees: 0,
      locationId: '',
      pictures: [],
      shownOnly: '',
    });
  });

  it('validates the field in requests and imports, and can require it in imports', () => {
    expect([...fieldNamesOf(Request)]).toEqual(['flowers']);
    expect([invalid(Request, {}), invalid(Request, { flowers: 1 })]).toEqual([[], ['flowers']]);
    expect([...fieldNamesOf(Entry)]).toEqual(['flowers', 'trees', 'phase', 'pictures']);
    const pictures = [{ image: '' }];
    expect(invalid(Entry, { trees: -1, phase: null, pictures })).toEqual([
      'flowers',
      'trees',
      'pictures.0.image',
    ]);
  });

  it('stores defaults of nested objects, but references by id only', () => {
    const sent = { phase: 'north', pictures: [{ image: 'a' }], shownOnly: 'x' };
    const pictures = [{ image: 'a', type: 'image' }];
    expect(storedFields(Garden, sent)).toStrictEqual({ pictures });
    const reference = { field: 'phase', kind: 'phases', storedAs: 'locationId' };
    expect(referencesOf(Garden)).toEqual([reference]);
  });

  it('adds a CSV column only when it sets column', () => {
    expect(csvColumnsOf(Garden)).toEqual(['flowers']);
  });
});
