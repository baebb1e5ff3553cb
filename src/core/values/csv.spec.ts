import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvRows, readCsv, verbatimCsvRows } from './csv.js';

const name = fc.stringMatching(/^[a-z]{1,5}$/);
const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).filter((text) => text.isWellFormed()),
  fc.stringMatching(/^[=+@\t\r\n"',; -]{0,4}[a-z]?$/),
);
const isKnown = () => true;

describe('readCsv', () => {
  it('refuses every header with a repeated name and names each of them once', () => {
    const header = fc.tuple(
      fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
    );
    fc.assert(
      fc.property(header, ([names, positions]) => {
        const repeated = names.slice(0, 2);
        const columns = [...names];
        for (const again of [...repeated, repeated[0] ?? '']) {
          columns.splice((positions.next().value ?? 0) % (columns.length + 1), 0, again);
        }
        const read = () =>
          readCsv(`${columns.join(',')}\n${columns.map(() => '1').join(',')}\n`, {
            names,
            isKnown,
          });
        const inOrder = columns
          .filter((one) => repeated.includes(one))
          .filter((one, index, all) => all.indexOf(one) === index);
        expect(read).toThrow(/^Columns that occur twice: /);
        for (const one of inOrder) expect(read).toThrow(new RegExp(`[:,] ${one}[,.]`));
      }),
    );
  });

  it.each([
    [
      'sep=,\na,b\n1,2\n',
      'The first line must name the columns. Delete the line that begins with sep=.',
    ],
    [
      'sep=;\na;b\n1;2\n',
      'The first line must name the columns. Delete the line that begins with sep=.',
    ],
    [
      '"sep=,"\na,b\n',
      'The first line must name the columns. Delete the line that begins with sep=.',
    ],
    [
      'a,b,,\n1,2,,\n',
      'Columns without a name: 3, 4. Delete empty columns at the end, and name others.',
    ],
    [
      'a,,b\n1,,2\n',
      'Columns without a name: 2. Delete empty columns at the end, and name others.',
    ],
    [
      'a,b\n1,2\n1,2,,\n',
      'Line 3 has 4 instead of 2 cells. Delete empty columns at the end, and put cells that contain a comma in double quotes.',
    ],
    [
      'a,a,c\n',
      'Columns that occur twice: a. Keep one of each. Unknown columns: c. Known are a, b.',
    ],
  ])('refuses %j', (text, message) => {
    expect(() => readCsv(text, { names: ['a', 'b'] })).toThrow(
      expect.objectContaining({ message }),
    );
  });

  it('returns every cell that verbatimCsvRows wrote, and skips ignored columns', () => {
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rows, (written) => {
        const text = verbatimCsvRows([['a', 'why', 'b'], ...written]);
        const { columns, rows: read } = readCsv(text, { names: ['a', 'b'], ignored: ['why'] });
        const expected = written.filter(([a, , b]) => `${a}${b}`.trim() !== '');
        expect(columns).toEqual(['a', 'b']);
        expect(read.map(({ cells: { a = '', b = '' } }) => [a, b])).toEqual(
          expected.map(([a, , b]) => [a, b]),
        );
      }),
    );
  });
});

it('csvRows neutralizes formulas, verbatimCsvRows keeps them', () => {
  const rows = [['=1+1', 'a;=2', 5, true]];
  expect(parse(csvRows(rows))).toEqual([["'=1+1", "a;'=2", '5', 'true']]);
  expect(parse(verbatimCsvRows(rows))).toEqual([['=1+1', 'a;=2', '5', 'true']]);
});
