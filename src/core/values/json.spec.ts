import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonLine } from './json.js';

/** Python's `str.splitlines` breaks a text at these characters. */
const pythonLineBreaks = '\n\r\v\f\u{1C}\u{1D}\u{1E}\u{85}\u{2028}\u{2029}';

it('jsonLine writes one line for every reader, with an equal value', () => {
  const special = fc.string({
    unit: fc.constantFrom(...'a"\\', ...pythonLineBreaks),
  });
  const key = fc.oneof(special, fc.string());
  const value = fc.dictionary(key, fc.oneof(special, fc.jsonValue()), { noNullPrototype: true });
  fc.assert(
    fc.property(value, (written) => {
      const json = JSON.stringify(written);
      const line = jsonLine(json);
      const breaks = [...line].filter((character) => pythonLineBreaks.includes(character));
      expect([breaks, line.at(-1)]).toEqual([['\n'], '\n']);
      expect(JSON.parse(line)).toEqual(JSON.parse(json));
    }),
  );
});
