import fc from 'fast-check';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';

/** A valid number in E.164, which the country's numbering plan or its digits without the country code also name. */
export interface NumberOf {
  readonly country: CountryCode;
  readonly number: string;
}

/** Beginnings of mobile, geographic and service numbers, with the possible counts of further digits. */
const plans: Readonly<Record<'EG' | 'SA' | 'AE', readonly (readonly [string, ...number[]])[]>> = {
  EG: [
    ['10', 8],
    ['11', 8],
    ['12', 8],
    ['15', 8],
    ['2', 8],
    ['3', 7],
    ['40', 7],
    ['800', 7],
    ['900', 7],
  ],
  SA: [
    ['50', 7],
    ['53', 7],
    ['57', 7],
    ['11', 7],
    ['12', 7],
    ['9200', 5],
    ['800', 7],
  ],
  AE: [
    ['50', 7],
    ['52', 7],
    ['58', 7],
    ['2', 7],
    ['4', 7],
    ['6', 7],
    ['800', 3, 5, 7],
    ['600', 6],
  ],
};

const digit = fc.integer({ min: 0, max: 9 });

function isValidNumber(text: string, country: CountryCode): boolean {
  return parsePhoneNumberFromString(text, country)?.isValid() === true;
}

export const validNumber: fc.Arbitrary<NumberOf> = fc
  .constantFrom(...Object.entries(plans))
  .chain(([country, starts]) =>
    fc
      .constantFrom(
        ...starts.flatMap(([start, ...counts]) => counts.map((count) => ({ start, count }))),
      )
      .chain(({ start, count }) =>
        fc.array(digit, { minLength: count, maxLength: count }).map((rest) => {
          const parsed = parsePhoneNumberFromString(
            `${start}${rest.join('')}`,
            country as CountryCode,
          );
          return parsed?.isValid()
            ? { country: country as CountryCode, number: parsed.number }
            : undefined;
        }),
      ),
  )
  .filter((found) => found !== undefined);

const codePoints = Array.from({ length: 0x11_00_00 }, (_, code) => code)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code));

/** The zeros of all scripts: each digit whose predecessor is no digit, or ends a row of ten. */
export const zeros = codePoints.filter((zero, index) => {
  if (!/\p{Nd}/u.test(zero)) return false;
  const row = codePoints.slice(Math.max(0, index - 60), index).toReversed();
  const before = row.findIndex((character) => !/\p{Nd}/u.test(character));
  return before % 10 === 0;
});

/** Texts that people and programs paste into numbers, by kind. */
export const insertedKinds: Readonly<Record<string, readonly string[]>> = {
  'format characters': codePoints.filter((one) => /\p{Cf}/u.test(one)),
  'variation selectors': codePoints.filter((one) => /\p{Variation_Selector}/u.test(one)),
  tatweel: ['ـ'],
  blanks: codePoints.filter((one) => /\p{Zs}/u.test(one)),
  'tabs and line breaks': ['\t', '\n', '\v', '\f', '\r', '\r\n', '\u0085', '\u2028', '\u2029'],
  dashes: [...codePoints.filter((one) => /\p{Pd}/u.test(one)), '−'],
  'dots and middle dots': ['.', '．', '·', '•', '・', '‧', '∙'],
  commas: [',', '،', '，', '、'],
  underscores: ['_', '＿'],
};

const inserted = fc
  .constantFrom(...Object.values(insertedKinds))
  .chain((characters) => fc.constantFrom(...characters));

/** Spellings of a number without inserted characters. */
function plainSpellings({ country, number }: NumberOf): string[] {
  const { nationalNumber = '', countryCallingCode: code = '' } =
    parsePhoneNumberFromString(number) ?? {};
  const national = [`0${nationalNumber}`, nationalNumber, `+0${nationalNumber}`];
  const international = ['+', '++', '+00', '00+', '00', '＋'].map(
    (start) => `${start}${code}${nationalNumber}`,
  );
  return [
    ...international,
    ...national.filter((text) => isValidNumber(text.replace('+', ''), country)),
  ];
}

/** Inserts pasted texts at any positions, and writes the digits of any script. */
export function spellingOf(number: NumberOf): fc.Arbitrary<string> {
  const position = fc.nat({ max: 20 });
  return fc
    .record({
      plain: fc.constantFrom(...plainSpellings(number)),
      zero: fc.oneof(fc.constant('0'), fc.constantFrom(...zeros)),
      insertions: fc.array(fc.tuple(position, inserted), { maxLength: 20 }),
      ending: fc.constantFrom('', '', ' ext. 12', 'x1234567', '#7', ' تحويلة ٣', 'داخلي 12'),
    })
    .map(({ plain, zero, insertions, ending }) => {
      const characters = Array.from(plain, (one) =>
        /\d/.test(one) ? String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(one)) : one,
      );
      for (const [at, text] of insertions) characters.splice(at % (characters.length + 1), 0, text);
      // Fewer digits before an extension are no number.
      const extended = /(\d.*){7}/.test(plain) ? ending : '';
      return characters.join('') + extended;
    })
    .filter((text) => Array.from(text).length <= 64);
}

/**
 * A comma before at most nine digits begins an extension, and `.0` after digits a fraction, if what stands before is a
 * valid number itself. Then the text names that number, as it always has.
 */
export function isOtherNumber(text: string, { country, number }: NumberOf): boolean {
  const parsed = parsePhoneNumberFromString(text, country);
  return parsed?.isValid() === true && parsed.number !== number;
}
