import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';

/** Beyond so many organizations it is forgotten which of them wrote when: all count as having written. */
const maxOrganizations = 10_000;

/**
 * Whether what was read of an organization's catalogue may still be shown (rule DATA-6): for a second from
 * when it began to be read, and never after a write of the same process. Times are those of
 * `performance.now()`.
 */
@Injectable()
export class CatalogueFreshness {
  /** How old it may be; tests that count on it give a busy machine more. */
  maxAgeMs: number;
  private readonly lastWrites = new Map<string, number>();
  private lastWriteOfOthers = Number.NEGATIVE_INFINITY;

  constructor(@Inject(ENVIRONMENT) { RESPONSE_CACHE_BYTES }: Environment) {
    this.maxAgeMs = RESPONSE_CACHE_BYTES > 0 ? 1_000 : 0;
  }

  /** Whether what began to be read at a time may be shown now. */
  isFresh(organizationId: string, readAt: number): boolean {
    const lastWrite = this.lastWrites.get(organizationId) ?? this.lastWriteOfOthers;
    return readAt > lastWrite && performance.now() - readAt < this.maxAgeMs;
  }

  /** This process has, or may have, written what an organization's responses show. */
  noteWrite(organizationId: string): void {
    const now = performance.now();
    if (this.lastWrites.size >= maxOrganizations && !this.lastWrites.has(organizationId)) {
      this.lastWrites.clear();
      this.lastWriteOfOthers = now;
    }
    this.lastWrites.set(organizationId, now);
  }
}
