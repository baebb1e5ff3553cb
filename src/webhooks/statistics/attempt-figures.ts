import type { Types } from 'mongoose';
import type { AttemptFigures } from './webhook-figure.schema.js';
import type { FigureKey } from './webhook-figures.repository.js';

const quarterMs = 900_000;
/** So many endpoints and quarters are counted until they are stored; of further ones nothing is. */
export const mostCounted = 2_000;

/** What was counted for one endpoint and quarter. */
export interface CountedFigures {
  readonly key: FigureKey;
  readonly figures: AttemptFigures;
}

/** The quarter of an hour that a time is in, by when it began. */
export function quarterOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / quarterMs) * quarterMs);
}

/** Counts attempts by endpoint and quarter until they are taken to be stored. */
export class AttemptFigureCounts {
  private counted = new Map<string, CountedFigures>();
  private attemptsRefused = 0;

  /** How many endpoints and quarters are counted now. */
  get size(): number {
    return this.counted.size;
  }

  /** How many attempts there was no room for. */
  get refused(): number {
    return this.attemptsRefused;
  }

  add(
    { organizationId, _id: endpointId }: Readonly<Record<'organizationId' | '_id', Types.ObjectId>>,
    { isDelivered, milliseconds }: { readonly isDelivered: boolean; readonly milliseconds: number },
    now: Date,
  ): void {
    const at = quarterOf(now);
    const name = `${endpointId.toHexString()} ${at.getTime()}`;
    const known = this.counted.get(name);
    if (known === undefined && this.counted.size >= mostCounted) {
      this.attemptsRefused++;
      return;
    }
    const before = known?.figures ?? { delivered: 0, failed: 0, milliseconds: 0 };
    const figures = {
      delivered: before.delivered + (isDelivered ? 1 : 0),
      failed: before.failed + (isDelivered ? 0 : 1),
      milliseconds: before.milliseconds + milliseconds,
    };
    this.counted.set(name, { key: { organizationId, endpointId, at }, figures });
  }

  /** What was counted since the last time; from now on it counts anew. */
  take(): CountedFigures[] {
    const taken = [...this.counted.values()];
    this.counted = new Map();
    return taken;
  }
}
