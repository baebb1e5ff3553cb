import { isWithoutZone, parseTime } from '../../../../core/values/time.js';
import type { DeliveryFilter } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { StringValues } from '../page.js';

export interface Replay {
  readonly filter: DeliveryFilter;
  /** Shown to the operator and stored in the operator log. */
  readonly text: string;
}

/** Returns null without a valid time range or the status `failed`. */
export function readReplay(form: StringValues): Replay | null {
  const status = form['status'] === 'failed' ? ('failed' as const) : undefined;
  const [since, until] = [parseFormTime(form['since']), parseFormTime(form['until'])];
  if (since === null || until === null || !(status ?? since ?? until)) return null;
  if (since !== undefined && until !== undefined && until <= since) return null;
  const words = [
    status,
    since && `since ${since.toISOString()}`,
    until && `until ${until.toISOString()}`,
  ];
  return { filter: { status, since, until }, text: words.filter(Boolean).join(' ') };
}

/** Parses UTC, in full or as browsers send it; undefined when empty, null when invalid. */
function parseFormTime(text = ''): Date | undefined | null {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return parseTime(isWithoutZone(trimmed) ? `${trimmed}Z` : trimmed);
}
