import { parseTime } from '../../../../core/values/time.js';
import type { DeliveryFilter } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';

export interface Replay {
  readonly filter: DeliveryFilter;
  /** The same as fields of a form. */
  readonly fields: Readonly<Record<string, string>>;
  /** The same for people and the log. */
  readonly text: string;
}

/** Reads the form of a replay; null without a valid time range or the status `failed`. */
export function readReplay(form: Readonly<Record<string, string>>): Replay | null {
  const isFailed = form['status'] === 'failed';
  const since = timeOf(form['since']);
  const until = timeOf(form['until']);
  if (since === null || until === null) return null;
  if (!isFailed && since === undefined && until === undefined) return null;
  if (since !== undefined && until !== undefined && until <= since) return null;
  const fields = {
    ...(isFailed ? { status: 'failed' } : {}),
    ...(since === undefined ? {} : { since: since.toISOString() }),
    ...(until === undefined ? {} : { until: until.toISOString() }),
  };
  const filter = { status: isFailed ? ('failed' as const) : undefined, since, until };
  return { filter, fields, text: textOf(fields) };
}

function textOf({ status, ...times }: Readonly<Record<string, string>>): string {
  const words = Object.entries(times).map(([name, time]) => `${name} ${time}`);
  return [...(status === undefined ? [] : [status]), ...words].join(' ');
}

/** A time in UTC, whole or as browsers send it; undefined when empty, null when invalid. */
function timeOf(text = ''): Date | undefined | null {
  const written = text.trim();
  if (written === '') return undefined;
  return parseTime(/T[\d:.]+$/.test(written) ? `${written}Z` : written);
}
