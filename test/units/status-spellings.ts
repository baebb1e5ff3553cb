import fc from 'fast-check';

export const derivedStatuses = ['Sold', 'Reserved', 'Available'] as const;

/** Every blank, line break and format character that programs and spreadsheets leave around a status. */
const surroundings = Array.from({ length: 0x11_00_00 }, (_none, code) => code)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\s\u{85}\p{Cf}]/u.test(character));

const around = fc.string({ unit: fc.constantFrom(...surroundings), maxLength: 4 });

/** Generates a derived status in any spelling that counts as the same, with its documented spelling. */
export const statusSpelling = fc
  .tuple(
    fc.constantFrom(...derivedStatuses),
    fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
    around,
    around,
  )
  .map(([documented, isUpper, before, after]) => {
    const letters = [...documented].map((letter, index) => {
      if (letter === 'S' && isUpper[8]) return '\u017F';
      return isUpper[index] ? letter.toUpperCase() : letter.toLowerCase();
    });
    return { documented, status: `${before}${letters.join('')}${after}` };
  });
