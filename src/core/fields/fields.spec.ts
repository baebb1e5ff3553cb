import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Schema, SchemaFactory } from '@nestjs/mongoose';
import { present } from './declared-fields.js';
import { Quantity, Text } from './fields.js';
import { EmbeddedObjects } from './object-fields.js';

class Picture {
  @Text()
  image!: string;
}

@Schema()
class Garden {
  @Text({ example: 'Roses' })
  flowers?: string;

  @Quantity({ example: 3 })
  trees?: number;

  @EmbeddedObjects(Picture)
  pictures?: Picture[];

  @Text({ stored: false })
  shownOnly?: string;
}

describe('the declaration of a field', () => {
  it('stores the field unless it sets stored: false', () => {
    const { paths } = SchemaFactory.createForClass(Garden);
    const stored = ['flowers', 'trees', 'pictures'];
    expect(Object.keys(paths).filter((path) => path !== '_id')).toEqual(stored);
  });

  it('shows fields in the order of declaration, with an empty value for a wrong type', () => {
    expect(present(Garden, { trees: 'x', flowers: 'Lilies' }, 'en-us')).toStrictEqual({
      flowers: 'Lilies',
      trees: 0,
      pictures: [],
      shownOnly: '',
    });
  });
});
