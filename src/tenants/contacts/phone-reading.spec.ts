import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CountryCode } from 'libphonenumber-js';
import {
  insertedKinds,
  isOtherNumber,
  spellingOf,
  validNumber,
  zeros,
} from '../../../test/support/phone-spellings.js';
import { rounds } from '../../../test/support/rounds.js';
import { digitsOf, readPhoneKeys } from './phone-reading.js';

/** Recorded before texts were read a second time: such texts keep their keys. */
const recorded: readonly (readonly [CountryCode, string, string])[] = [
  ['EG', '01001234567', '+201001234567'],
  ['EG', '1001234567', '+201001234567'],
  ['EG', '+201001234567', '+201001234567'],
  ['EG', '00201001234567', '+201001234567'],
  ['EG', '201001234567', '+201001234567'],
  ['EG', '+20 100 123 4567', '+201001234567'],
  ['EG', '0020-100-1234567', '+201001234567'],
  ['EG', '(+20) 100.123.4567', '+201001234567'],
  ['EG', '+20 (0) 100 123 4567', '+201001234567'],
  ['EG', '010-0123-4567', '+201001234567'],
  ['EG', '010.0123.4567', '+201001234567'],
  ['EG', '010/0123/4567', '+201001234567'],
  ['EG', '010 0123 4567 ', '+201001234567'],
  ['EG', '  01001234567', '+201001234567'],
  ['EG', '\t01001234567', '+201001234567'],
  ['EG', '\u200e01001234567', '+201001234567'],
  ['EG', '01001234567\u200f', '+201001234567'],
  ['EG', '\u202a+201001234567\u202c', '+201001234567'],
  ['EG', '0100\u00a0123\u00a04567', '+201001234567'],
  ['EG', '0100\u200b1234567', '+201001234567'],
  ['EG', '0100\u00ad1234567', '+201001234567'],
  ['EG', '0100\u20111234567', '+201001234567'],
  ['EG', '0100\u2013123\u20134567', '+201001234567'],
  ['EG', '٠١٠٠١٢٣٤٥٦٧', '+201001234567'],
  ['EG', '+٢٠ ١٠٠ ١٢٣ ٤٥٦٧', '+201001234567'],
  ['EG', '۰۱۰۰۱۲۳۴۵۶۷', '+201001234567'],
  ['EG', '０１００１２３４５６７', '+201001234567'],
  ['EG', '＋201001234567', '+201001234567'],
  ['EG', 'Felix 01001234567', '+201001234567'],
  ['EG', '01001234567 Felix', '+201001234567'],
  ['EG', 'Fax: 0227351234', '+20227351234'],
  ['EG', '#01001234567', '+201001234567'],
  ['EG', 'Tel. 02 27351234', '+20227351234'],
  ['EG', 'tel:+20-100-1234567', '+201001234567'],
  ['EG', 'tel:01001234567;ext=12', '+201001234567'],
  ['EG', '0227351234,12', '+20227351234'],
  ['EG', '0227351234, 12', '+20227351234'],
  ['EG', '0227351234,,12', '+20227351234'],
  ['EG', '0227351234;12', '+20227351234'],
  ['EG', '0227351234 ext 12', '+20227351234'],
  ['EG', '0227351234 ext. 12', '+20227351234'],
  ['EG', '0227351234 extension 12', '+20227351234'],
  ['EG', '0227351234x12', '+20227351234'],
  ['EG', '0227351234 x 12', '+20227351234'],
  ['EG', '0227351234#12', '+20227351234'],
  ['EG', '0227351234 int 5', '+20227351234'],
  ['EG', '0227351234~5', '+20227351234'],
  ['EG', '02 27351234 - 12#', '+20227351234'],
  ['EG', '222222222', '+20222222222'],
  ['EG', '1111111111', '+201111111111'],
  ['EG', '01111111111', '+201111111111'],
  ['EG', '(02) 2735 1234', '+20227351234'],
  ['EG', '[02] 27351234', '+20227351234'],
  ['EG', '01001234567.', '+201001234567'],
  ['EG', '01001234567,', '+201001234567'],
  ['EG', '01001234567;', '+201001234567'],
  ['EG', '+20 1001234567/', '+201001234567'],
  ['EG', 'whatsapp +20 100 123 4567 (mobile)', '+201001234567'],
  ['EG', 'منى ٠١٠٠١٢٣٤٥٦٧', '+201001234567'],
  ['EG', '01001234567 / منى', '+201001234567'],
  ['EG', '+1 (212) 555-0100', '+12125550100'],
  ['EG', '+44 20 7946 0958', '+442079460958'],
  ['EG', '+966 50 123 4567', '+966501234567'],
  ['EG', '+2001001234567', '+201001234567'],
  ['EG', '002001001234567', '+201001234567'],
  ['EG', '0151234567,8', '+20151234567'],
  ['EG', '1001234567e', '+201001234567'],
  ['EG', '0100 123 4567 - home', '+201001234567'],
  ['EG', '01001234567|', '+201001234567'],
  ['EG', 'Mobile(010)01234567', '+201001234567'],
  ['EG', '0800 0000 800', '+208000000800'],
  ['EG', '08000000800', '+208000000800'],
  ['SA', '0501234567', '+966501234567'],
  ['SA', '501234567', '+966501234567'],
  ['SA', '+966501234567', '+966501234567'],
  ['SA', '966501234567', '+966501234567'],
  ['SA', '00966501234567', '+966501234567'],
  ['SA', '+966 (0)50 123 4567', '+966501234567'],
  ['SA', '050-123-4567', '+966501234567'],
  ['SA', '٠٥٠١٢٣٤٥٦٧', '+966501234567'],
  ['SA', 'Felix 0501234567', '+966501234567'],
  ['SA', 'Fax: 0112345678', '+966112345678'],
  ['SA', '0112345678,12', '+966112345678'],
  ['SA', '#0501234567', '+966501234567'],
  ['SA', '920001234', '+966920001234'],
  ['SA', '8001234567', '+9668001234567'],
  ['SA', '0501234567 ext 3', '+966501234567'],
  ['SA', '011 234 5678 x9', '+966112345678'],
  ['SA', '+20 100 123 4567', '+201001234567'],
  ['AE', '0501234567', '+971501234567'],
  ['AE', '501234567', '+971501234567'],
  ['AE', '+971501234567', '+971501234567'],
  ['AE', '971501234567', '+971501234567'],
  ['AE', '00971501234567', '+971501234567'],
  ['AE', '04 234 5678', '+97142345678'],
  ['AE', '042345678,7', '+97142345678'],
  ['AE', 'Fax: 042345678', '+97142345678'],
  ['AE', '#0501234567', '+971501234567'],
  ['AE', 'Felix ٠٥٠١٢٣٤٥٦٧', '+971501234567'],
  ['AE', '800123', '+971800123'],
  ['AE', '600123456', '+971600123456'],
  ['AE', '050123456.0', '+971501234560'],
  ['AE', '80012/80034', '+9718001280034'],
  ['AE', '80012345.0', '+971800123450'],
  ['AE', '050 123 4567 ext. 22', '+971501234567'],
];

const countries = ['EG', 'SA', 'AE'] as const;
const cases = rounds(1_500, 100_000);

describe('readPhoneKeys', () => {
  it.each(recorded)('with the country %s and %j returns the recorded number', (...row) => {
    const [country, text, number] = row;
    expect(readPhoneKeys(text, country)).toEqual([number]);
  });

  it.each([
    ['+20 10\u200e28251223', '+201028251223'],
    ['+20 10\u200e28251223', '+201028251223'],
    ['+20\u202f10\u202f2825\u202f1223', '+201028251223'],
    ['010\u200728251223', '+201028251223'],
    ['010\t2825\t1223', '+201028251223'],
    ['010ـ28251223', '+201028251223'],
    ['010_2825_1223', '+201028251223'],
    ['010·2825·1223', '+201028251223'],
    ['++201028251223', '+201028251223'],
    ['+00201028251223', '+201028251223'],
    ['00+201028251223', '+201028251223'],
    ['++00201028251223', '+201028251223'],
    ['+01028251223', '+201028251223'],
    ['+20 10\u200e28251223 ext. 12', '+201028251223'],
    ['+20 10\u200e28251223 X12', '+201028251223'],
    ['010\u200e28251223#1234567', '+201028251223'],
    ['02\u200e27351234 تحويلة ١٢', '+20227351234'],
    ['02 27351234 داخلي 12', '+20227351234'],
    ['1028251223.0', '+201028251223'],
    ['٠١٠٢٨٢٥١٢٢٣٫٠', '+201028251223'],
    ['201028251223.0', '+201028251223'],
    ['०१०२८२५१२२३', '+201028251223'],
    ['𝟎𝟙𝟢𝟮𝟾2𝟻𝟣𝟤𝟤𝟥', '+201028251223'],
    ['Mona: 010 then 28251223', '+201028251223'],
  ])('with %j in Egypt returns the number %s', (text, number) => {
    expect(readPhoneKeys(text, 'EG')).toEqual([number]);
  });

  it.each([
    ['01028251223 / 01112223334', ['+201028251223', '+201112223334']],
    ['010\u200e28251223/+00201112223334', ['+201028251223', '+201112223334']],
    ['01028251223;01112223334', ['+201028251223', '+201112223334']],
    ['01028251223; 01112223334; 0227351234', ['+201028251223', '+201112223334', '+20227351234']],
    ['01028251223|01112223334', ['+201028251223', '+201112223334']],
    ['01028251223\r\n01112223334\n', ['+201028251223', '+201112223334']],
    ['٠١٠٢٨٢٥١٢٢٣ / +20 111 222 3334', ['+201028251223', '+201112223334']],
    ['01028251223 / 0020 10 28251223', ['+201028251223']],
  ])('returns for the list %j each number', (text, numbers) => {
    expect(readPhoneKeys(text, 'EG')).toEqual(numbers);
  });

  it.each([
    ['ext. 12345', '+2012345'],
    ['01028251223 / 12', '+20102825122312'],
    ['①②③④⑤ 12345', '+2012345'],
    ['9'.repeat(30).replace('99', '98'), '9'.repeat(30).replace('99', '98')],
  ])('with %j, which is no valid number, returns its digits or the text: %s', (text, key) => {
    expect(readPhoneKeys(text, 'EG')).toEqual([key]);
  });

  it.each([
    '',
    'N/A',
    '-',
    '0',
    'ext. 1234',
    '①②③④⑤',
    '٠١٠٠',
    '०१०२',
    '2.01E+11',
    '2,01028E+11',
    '٢٫٠١E+١١',
    '2.01028251223e+21',
    ' 2.01E+11 ',
    '00000000',
    '000-0000-0000',
    '9999999999999',
    '٠٠٠٠٠٠٠٠',
    '+00000000',
  ])('returns no key for %j', (text) => {
    expect(readPhoneKeys(text, 'EG')).toEqual([]);
  });

  it.each([
    '1'.repeat(65),
    `01028251223${' '.repeat(54)}`,
    ...['9', ',', '0 ', '\u200e', '+', '/', 'x1', '#'].map((text) => text.repeat(1_000_000)),
  ])('returns no key, at once, for the long text at index %#', (text) => {
    expect(readPhoneKeys(text, 'EG')).toEqual([]);
  });

  it('returns the number for each spelling that people paste, in any digits', () => {
    let read = 0;
    let others = 0;
    const spelled = validNumber.chain((number) =>
      fc.tuple(fc.constant(number), spellingOf(number)),
    );
    fc.assert(
      fc.property(spelled, ([number, text]) => {
        read += 1;
        if (isOtherNumber(text, number)) {
          others += 1;
          expect(text).toMatch(/,|[.]\D*0\D*$/);
          return;
        }
        expect(readPhoneKeys(text, number.country)).toEqual([number.number]);
      }),
      { numRuns: cases },
    );
    expect(others / read).toBeLessThan(0.05);
  });

  it.each(Object.entries(insertedKinds))(
    'returns the number with any of the %s inside',
    (_kind, texts) => {
      for (const text of texts) {
        const spelled = `+20 10${text}2825${text}${text}1223`;
        expect([text, ...readPhoneKeys(spelled, 'EG')]).toEqual([text, '+201028251223']);
      }
    },
  );

  it('returns the keys of each number of a list, in any spelling', () => {
    const numbers = fc.array(validNumber, { minLength: 2, maxLength: 4 });
    const separator = fc.constantFrom('/', ';', '|', '\n', '\r\n', ' / ', '؛');
    fc.assert(
      fc.property(numbers, separator, (found, between) => {
        const text = found.map(({ number }) => number).join(between);
        fc.pre(text.length <= 64);
        const distinct = new Set(found.map(({ number }) => number));
        expect(readPhoneKeys(text, 'EG')).toEqual([...distinct]);
      }),
      { numRuns: cases / 10 },
    );
  });

  const pasted = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ...'0123456789',
          ...'00+*#x;,/|.\n -()~EeT٫',
          'ext',
          'E+',
          '.0',
          '\u200e',
          'داخلي',
        ),
        fc.constantFrom(...zeros),
        fc.string({ unit: 'binary', maxLength: 2 }),
      ),
      { maxLength: 64 },
    )
    .map((parts) => parts.join(''));
  const digits = fc
    .tuple(
      fc.constantFrom('', '+', '00', '0', '+20', '+966', '+971', '+54', '+52', '+55', '+39', '+7'),
      fc.array(fc.nat({ max: 9 }), { maxLength: 20 }),
    )
    .map(([start, rest]) => start + rest.join(''));

  it('returns for each key the key itself', () => {
    const country = fc.constantFrom<CountryCode>(
      ...countries,
      ...countries,
      'AR',
      'MX',
      'BR',
      'IT',
      'US',
      'RU',
      'CI',
      'SH',
      'DE',
    );
    fc.assert(
      fc.property(fc.oneof(pasted, digits, fc.string({ unit: 'binary' })), country, (text, of) => {
        for (const key of readPhoneKeys(text, of)) expect(readPhoneKeys(key, of)).toEqual([key]);
      }),
      { numRuns: cases },
    );
  });

  it('returns no key for texts that many numbers share', () => {
    const digit = fc.nat({ max: 9 }).map(String);
    const rounded = fc
      .tuple(
        digit,
        fc.constantFrom('.', ',', '٫'),
        fc.stringMatching(/^\d{1,14}$/),
        fc.stringMatching(/^\d{1,3}$/),
      )
      .map(([first, point, rest, exponent]) => `${first}${point}${rest}E+${exponent}`);
    expect(readPhoneKeys('4.00000000E+00', 'EG')).toEqual([]);
    fc.assert(fc.property(rounded, (text) => expect(readPhoneKeys(text, 'EG')).toEqual([])));
  });
});

describe('digitsOf', () => {
  it('returns ASCII digits for each script', () => {
    expect(zeros.length).toBeGreaterThan(60);
    for (const zero of zeros) {
      const code = zero.codePointAt(0) ?? 0;
      const row = Array.from({ length: 10 }, (_, index) => String.fromCodePoint(code + index));
      expect(digitsOf(row.join('-'))).toBe('0123456789');
    }
  });
});
