const pattern =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)(?:Z|([-+ ])(\d\d)(?::?([0-5]\d))?))?$/;

/**
 * Parses an ISO 8601 day in UTC, or a day and time with `Z` or an offset (rule HTTP-9); returns null otherwise.
 * A space before the offset counts as `+`, which query strings decode to a space.
 */
export function parseTime(value: unknown): Date | null {
  const parts = typeof value === 'string' ? pattern.exec(value) : null;
  if (parts === null) return null;
  const [, day = '', clock = '00:00', sign, hours, minutes = '00'] = parts;
  const zone = hours === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours}:${minutes}`;
  const time = new Date(`${day}T${clock}${zone}`);
  return !isDay(day) || Number.isNaN(time.getTime()) ? null : time;
}

/** Recognizes a time of day without a zone, which programs in other zones would take for another moment. */
export function isWithoutZone(value: unknown): value is string {
  return typeof value === 'string' && parseTime(value) === null && parseTime(`${value}Z`) !== null;
}

/** `Date` takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const weekMs = 7 * dayMs;
