import type { CountryCode } from 'libphonenumber-js';
import { foldCase } from '../localization/fold-case.js';
import { isPlainObject } from '../values/plain-object.js';
import { isScalar } from '../values/scalar.js';
import { type Contact, contentionKeys } from './contact.js';
import { phoneKey, phoneLimit } from './phone-number.js';

/** What may be a phone within a text: digits of any script, with what may stand between them. */
const phoneInText = new RegExp(
  String.raw`[+\p{Nd}][\p{Nd}\s()./\-]{3,${phoneLimit - 2}}\p{Nd}`,
  'gu',
);

/** What people are known by, to find it in what is not about them, and to remove it there. */
export class ContactTraces {
  private readonly contacts: Contact[] = [];
  private readonly phoneKeys = new Set<string>();
  private readonly names = new Set<string>();
  private readonly emails = new Set<string>();

  /** @param country whose national spelling of a phone is understood */
  constructor(private readonly country: CountryCode) {}

  add(contact: Contact): void {
    this.contacts.push(contact);
    for (const phone of contact.phones) this.phoneKeys.add(phoneKey(phone, this.country));
    if (contact.name !== undefined) this.names.add(foldCase(contact.name));
    if (contact.email !== undefined && contact.email !== null) {
      this.emails.add(foldCase(contact.email));
    }
  }

  /** What concurrent requests about these people have in common. */
  contentionKeys(): string[] {
    return [...new Set(this.contacts.flatMap((one) => contentionKeys(one, this.country)))];
  }

  /** Whether a contact has one of the phones or emails. */
  has({ email, phones }: Contact): boolean {
    const hasEmail = typeof email === 'string' && this.emails.has(foldCase(email));
    return hasEmail || phones.some((phone) => this.phoneKeys.has(phoneKey(phone, this.country)));
  }

  /**
   * What is left of a value without phones, emails and texts that are a name. A name within a text
   * stays, because it may be another word there.
   */
  removedFrom(value: unknown): unknown {
    if (typeof value === 'string') return this.removedFromText(value);
    if (Array.isArray(value)) return value.map((item) => this.removedFrom(item));
    if (isPlainObject(value) && !(value instanceof Date)) {
      const entries = Object.entries(value).map(([key, item]) => [
        this.removedFromText(key),
        this.removedFrom(item),
      ]);
      return Object.fromEntries(entries) as unknown;
    }
    return isScalar(value) && this.isPhone(String(value)) ? null : value;
  }

  private removedFromText(text: string): string {
    if (this.names.has(foldCase(text))) return '';
    const withoutPhones = text.replaceAll(phoneInText, (found) =>
      // Several may stand side by side.
      this.isPhone(found)
        ? ''
        : found.replaceAll(/\S+/g, (part) => (this.isPhone(part) ? '' : part)),
    );
    return [...this.emails].reduce(withoutFolded, withoutPhones);
  }

  private isPhone(text: string): boolean {
    return this.phoneKeys.has(phoneKey(text, this.country));
  }
}

/** A text without what is, in any case, another one, which is in its folded form. */
function withoutFolded(text: string, folded: string): string {
  const pattern = folded.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return folded === '' ? text : text.replaceAll(new RegExp(pattern, 'giu'), '');
}
