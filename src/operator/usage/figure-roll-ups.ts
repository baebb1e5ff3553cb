import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { dayMs, hourMs, minuteMs, weekMs } from '../../core/values/durations.js';
import { addCounts, CallSums, CallTable, noCalls } from './call-counts.js';
import { CallFiguresRepository, type StoredMinute } from './call-figures.repository.js';
import { habitWindowMs, hourOfWeek, weekOf } from './habits.js';
import { MinuteSums } from './minute-sums.js';

/** How long after its end a minute is taken into its hour: by then all processes have stored it. */
const delayMs = minuteMs;
/** How often the current hour is made: what it lacks is read by minute. */
const stepMs = 5 * minuteMs;
/** At one time; the next time goes on. */
const mostHours = 50;
/** What one hour may hold of different callers. */
const callersOfHourLimit = 1_000;

/**
 * Makes hours of minutes (rule OPS-32), the current one too, as far as it has come. An hour is always made
 * of all its minutes, so that one that was begun or made before, or whose minutes came late, comes out the
 * same: it can be stopped anywhere, and two processes can make it at once.
 */
@Injectable()
export class FigureRollUps {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly figures: CallFiguresRepository,
    private readonly clock: Clock,
  ) {}

  /** Makes the hours that lack minutes. */
  async run(): Promise<void> {
    const now = this.clock.now();
    const latest = now.getTime() - delayMs;
    const before = latest - (latest % stepMs);
    for (let made = 0; made < mostHours; made++) {
      const minute = await this.figures.oldestNotRolledUp(new Date(before));
      if (minute === null) return;
      const hour = minute.getTime() - (minute.getTime() % hourMs);
      if (!(await this.make(hour, Math.min(before, hour + hourMs), now))) return;
    }
  }

  /** @returns whether it was made; false when another process had made more of it */
  private async make(hour: number, before: number, now: Date): Promise<boolean> {
    const [at, until] = [new Date(hour), new Date(before)];
    const held: Pick<StoredMinute, '_id' | 'storedAt'>[] = [];
    const total = noCalls();
    const deliveries = { delivered: 0, failed: 0 };
    const minutes = new MinuteSums();
    const callers = new CallTable(callersOfHourLimit);
    for await (const minute of this.figures.minutes([{ from: at, before: until }])) {
      held.push({ _id: minute._id, storedAt: minute.storedAt });
      addCounts(total, minute.total);
      deliveries.delivered += minute.deliveries.delivered;
      deliveries.failed += minute.deliveries.failed;
      minutes.add(minute);
      for (const caller of minute.callers) addCounts(callers.of(caller), caller);
    }
    const sums = new CallSums();
    const ofHour = callers.all();
    for (const caller of ofHour) sums.add(caller);
    const { routes, keys } = sums.all();
    const week = weekOf(hour);
    await this.figures.saveKeyHours(new Date(week), hourOfWeek(hour), keys, {
      storedAt: now,
      expiresAt: new Date(week + weekMs + habitWindowMs + dayMs),
    });
    const isSaved = await this.figures.saveHour(
      {
        at,
        until,
        total,
        deliveries,
        minutes: minutes.all(),
        routes,
        keys,
        callers: ofHour,
      },
      {
        storedAt: now,
        expiresAt: new Date(hour + this.environment.FIGURES_RETENTION_DAYS * dayMs),
      },
    );
    if (isSaved) await this.figures.markRolledUp(held);
    return isSaved;
  }
}
