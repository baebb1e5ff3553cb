/** One Egyptian mobile number in the spellings that people and programs use. */
export interface DemoPhone {
  /** 01001234500 */
  readonly national: string;
  /** +201001234500 */
  readonly e164: string;
  /** +20 100 123 4500 */
  readonly spaced: string;
  /** 01001234500 in Arabic digits */
  readonly arabic: string;
}

/** One of the phones of a walk, by number from 0 to 99. */
export function demoPhone(number: number): DemoPhone {
  const national = `010012345${String(number).padStart(2, '0')}`;
  return {
    national,
    e164: `+20${national.slice(1)}`,
    spaced: `+20 ${national.slice(1, 4)} ${national.slice(4, 7)} ${national.slice(7)}`,
    arabic: national.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))),
  };
}
