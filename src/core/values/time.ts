const pattern =
  /^(\d{4}-\d\d-\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[-+ ]\d\d:?[0-5]\d))?$/;

/**
 * Parses an ISO 8601 day in UTC, or a day and time with `Z` or an offset (rule HTTP-9); returns null otherwise.
 * A space before the offset counts as `+`, which query strings decode to a space.
 */
export function parseTime(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const day = pattern.exec(value)?.[1];
  const time = new Date(value.replace(' ', '+'));
  return day === undefined || !isDay(day) || Number.isNaN(time.getTime()) ? null : time;
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
