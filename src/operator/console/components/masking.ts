/** The constant length reveals nothing about the value. */
export const mask = '••••••';

/** Matches typical field names; any other name may contain personal data. */
const fieldName = /^(?!.*\d{5})[A-Za-z][\w.-]{0,39}$/;

export function maskedValue(value: unknown, isShown: boolean): string {
  if (value === null || value === undefined || value === '') return '–';
  return isShown ? plainText(value) : mask;
}

export function maskedName(name: string, isShown: boolean): string {
  return isShown || fieldName.test(name) ? name : mask;
}

export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return JSON.stringify(value) ?? '';
}

export function maskedUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) return mask;
  // Receivers often put a token into a later segment of the path.
  const [first = '', ...others] = url.pathname.split('/').slice(1);
  const isWord = /^(?!.*\d{3})[a-z._-]{0,24}\d{0,2}$/i.test(first);
  const path = ['', isWord ? first : mask, ...others.map((part) => part && mask)].join('/');
  return `${url.protocol}//${url.host}${path}${url.search === '' ? '' : `?${mask}`}`;
}
