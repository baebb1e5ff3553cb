import { parsePhoneNumberFromString } from 'libphonenumber-js';

const minDigits = 5;
const longest = 64;

/** A scalar as text; empty for anything else. */
export function scalarText(value) {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

/** The phones in a lead's data. */
export function phonesOf(data) {
  const texts = [scalarText(data?.phoneNumber), scalarText(data?.phoneNumber2)];
  return texts.filter((text) => text.length <= longest && digitsOf(text).length >= minDigits);
}

/** The E.164 form, or what stands for it where the text does not parse. */
export function phoneKey(phone, country) {
  return parsePhoneNumberFromString(phone, country)?.number ?? (digitsOf(phone) || phone);
}

/** The spellings under which other programs may have stored a phone. */
export function spellingsOf(phone, country) {
  const parsed = parsePhoneNumberFromString(phone, country);
  const texts = [phone, digitsOf(phone)];
  if (parsed !== undefined) {
    const plain = parsed.number.slice(1);
    const national = parsed.formatNational();
    texts.push(parsed.number, plain, `00${plain}`, parsed.formatInternational());
    texts.push(national, digitsOf(national), parsed.nationalNumber);
  }
  return [...new Set(texts)].filter(Boolean);
}

/** Spellings that are whole numbers, as numbers too. */
export function withIntegers(spellings) {
  const numbers = spellings.filter((text) => /^\d+$/.test(text)).map(Number);
  return [...spellings, ...numbers.filter(Number.isSafeInteger)];
}

function digitsOf(text) {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0);
    const zero = [0x30, 0x660, 0x6f0].find((first) => code >= first && code <= first + 9);
    return zero === undefined ? '' : String(code - zero);
  }).join('');
}

/** What a lead stores for the comparison of its phones; parsed again only when they have changed. */
export function derivedPhones(data, country, stored) {
  const phones = phonesOf(data);
  const phoneKeysOf = JSON.stringify([country, ...phones]);
  if (stored?.phoneKeysOf === phoneKeysOf) return { phoneKeys: stored.phoneKeys, phoneKeysOf };
  const phoneKeys = [...new Set(phones.map((phone) => phoneKey(phone, country)))];
  return { phoneKeys, phoneKeysOf };
}
