import type { Recording } from './recording.js';

export interface ExpectedAlert {
  readonly alert: string;
  /** Labels besides `alertname` and `severity`. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: RegExp;
  /** Minute of the last scrape before the alert's part of the situation, if that begins later. */
  readonly since?: number;
}

/** Contains the metrics that a service exported in a situation. */
export interface Situation {
  /** The name of its test in ops/alerts.test.yml. */
  readonly name: string;
  readonly recording: Recording;
  /** Minute of the last scrape before the situation began. */
  readonly since: number;
  /** All alerts that fire. */
  readonly fires: readonly ExpectedAlert[];
}
