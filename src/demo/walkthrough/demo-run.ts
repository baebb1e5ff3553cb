import { randomBytes } from 'node:crypto';
import type { DemoClient, Print } from '../client/demo-client.js';

/** One Egyptian mobile number in the spellings that people and programs use. */
export interface DemoPhone {
  /** 01001234567 */
  readonly national: string;
  /** +201001234567 */
  readonly e164: string;
  /** +20 100 123 4567 */
  readonly spaced: string;
  /** 01001234567 in Arabic digits */
  readonly arabic: string;
}

/** An endpoint of the demo organization. */
export interface DemoSubscription {
  readonly secret: string;
  /** Why the service does not send to it; null while there is no reason. */
  rejectionReason(): Promise<string | null>;
  end(): Promise<void>;
}

/** Subscribes a URL to all events of the demo organization, as the operator would. */
export type Subscribe = (url: string) => Promise<DemoSubscription>;

/** One run of the demo: how it sends and prints, and ids and phones that no other run has. */
export interface DemoRun {
  readonly client: DemoClient;
  readonly print: Print;
  readonly subscribe: Subscribe;
  /** Goes into external ids and email addresses. */
  readonly id: string;
  /** One of the run's own phones, by number from 0 to 19. */
  phone(number: number): DemoPhone;
  /** One of a list, the same one throughout the run. */
  pick<T>(list: readonly T[]): T;
}

/** A part of the demo with a heading. */
export interface Chapter {
  readonly title: string;
  /** Sends its requests and prints them; throws an Error with one line at an unexpected response. */
  readonly execute: (run: DemoRun) => Promise<void>;
}

const operatorCodes = ['10', '11', '12', '15'];
const subscribers = 1e8;
const phonesOfOneRun = 20;

/** Starts a run of the demo at a time in milliseconds. */
export function startRun(
  { client, print, subscribe }: Pick<DemoRun, 'client' | 'print' | 'subscribe'>,
  now: number,
): DemoRun {
  const id = `${now.toString(36)}${randomBytes(2).toString('hex')}`;
  // Counting in time keeps the runs of three weeks apart, where chance would let some coincide.
  const first = Math.floor(now / 100) * phonesOfOneRun;
  const pick = <T>(list: readonly T[]) => list[Math.floor(now / 100) % list.length] as T;
  return { client, print, subscribe, id, pick, phone: (number) => spellings(first + number) };
}

function spellings(count: number): DemoPhone {
  const index = count % (operatorCodes.length * subscribers);
  const operator = operatorCodes[Math.floor(index / subscribers)] ?? '10';
  const subscriber = String(index % subscribers).padStart(8, '0');
  const national = `0${operator}${subscriber}`;
  return {
    national,
    e164: `+20${national.slice(1)}`,
    spaced: `+20 ${national.slice(1, 4)} ${national.slice(4, 7)} ${national.slice(7)}`,
    arabic: national.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))),
  };
}
