/** What stands for a value that is not shown; its length says nothing. */
export const mask = '••••••';

/** A name of a field as programs choose them; anything else may be somebody's own words. */
const fieldName = /^(?!.*\d{5})[A-Za-z][\w.-]{0,39}$/;

/** What personal data is shown as: a value, or that there is one. */
export function maskedValue(value: unknown, isShown: boolean): string {
  if (value === null || value === undefined || value === '') return '–';
  return isShown ? plainText(value) : mask;
}

/** The name of a field that others have chosen. */
export function maskedName(name: string, isShown: boolean): string {
  return isShown || fieldName.test(name) ? name : mask;
}

/** A value as text: JSON for what is none. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return JSON.stringify(value) ?? '';
}

/** An address to which events are sent, without what may be a secret in it. */
export function maskedUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) return mask;
  // Any further part of a path may let whoever knows it in.
  const [first = '', ...others] = url.pathname.split('/').slice(1);
  const isWord = /^(?!.*\d{3})[a-z._-]{0,24}\d{0,2}$/i.test(first);
  const path = ['', isWord ? first : mask, ...others.map((part) => part && mask)].join('/');
  return `${url.protocol}//${url.host}${path}${url.search === '' ? '' : `?${mask}`}`;
}
