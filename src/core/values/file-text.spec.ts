import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { utf8Text } from './file-text.js';

const header = fc.constantFrom('recordSystemId,name', 'name,data.اسم', '{"name":"', 'sep=,');
const rest = fc.string({ unit: fc.constantFrom(...'abc,\r\n"منى عادل٠١\u{1F600}') });
const text = fc.tuple(header, rest).map((parts) => parts.join('\n'));
const remedy = 'Save it as UTF-8 (in Excel: "CSV UTF-8"), then run the command again.';

it('returns the text of UTF-8 with or without a byte-order mark', () => {
  fc.assert(
    fc.property(text, fc.boolean(), (expected, hasMark) => {
      expect(utf8Text(Buffer.from(hasMark ? `\uFEFF${expected}` : expected))).toBe(expected);
    }),
  );
});

it('refuses UTF-16 in either order, with or without a byte-order mark', () => {
  fc.assert(
    fc.property(text, fc.boolean(), fc.boolean(), (content, hasMark, isSwapped) => {
      const bytes = Buffer.from(hasMark ? `\uFEFF${content}` : content, 'utf16le');
      const read = () => utf8Text(isSwapped ? bytes.swap16() : bytes);
      expect(read).toThrow(new Error(`The file is UTF-16. ${remedy}`));
    }),
  );
});

it('refuses bytes that are not UTF-8', () => {
  const read = () => utf8Text(Buffer.from('name\nRen\xE9\n', 'latin1'));
  expect(read).toThrow(new Error(`The file is not UTF-8. ${remedy}`));
});
