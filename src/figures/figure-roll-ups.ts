import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { addCounts, noCalls } from './call-counts.js';
import { CallFiguresRepository, type StoredMinute } from './call-figures.repository.js';
import { callersOfHourLimit, hourMs, merged } from './call-figures.service.js';

/** How long after its end an hour is made: by then all processes have stored its minutes. */
const delayMs = 60_000;
/** At one time; the next time goes on. */
const mostHours = 50;
const dayMs = 86_400_000;

/**
 * Makes hours of minutes (rule OPS-32). An hour is always made of all its minutes, so that one that was
 * begun or made before, or whose minutes came late, comes out the same: it can be stopped anywhere, and
 * two processes can make it at once.
 */
@Injectable()
export class FigureRollUps {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly figures: CallFiguresRepository,
    private readonly clock: Clock,
  ) {}

  /** Makes the hours that are over and lack minutes. */
  async run(): Promise<void> {
    const now = this.clock.now();
    const before = now.getTime() - delayMs;
    const current = new Date(before - (before % hourMs));
    for (let made = 0; made < mostHours; made++) {
      const minute = await this.figures.oldestNotRolledUp(current);
      if (minute === null) return;
      await this.make(minute.getTime() - (minute.getTime() % hourMs), now);
    }
  }

  private async make(hour: number, now: Date): Promise<void> {
    const at = new Date(hour);
    const minutes: StoredMinute[] = [];
    for await (const minute of this.figures.minutes(at, new Date(hour + hourMs))) {
      minutes.push(minute);
    }
    const total = noCalls();
    const deliveries = { delivered: 0, failed: 0 };
    for (const minute of minutes) {
      addCounts(total, minute.total);
      deliveries.delivered += minute.deliveries.delivered;
      deliveries.failed += minute.deliveries.failed;
    }
    const callers = merged(minutes, callersOfHourLimit);
    const expiresAt = new Date(hour + this.environment.FIGURES_RETENTION_DAYS * dayMs);
    await this.figures.saveHour({ at, total, callers, deliveries }, { storedAt: now, expiresAt });
    await this.figures.markRolledUp(minutes);
  }
}
