import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { maskMessages } from './masked-messages.js';
import type { RequestCaller } from '../../core/http/requests/request-caller.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { MessagesService } from '../../core/localization/messages.service.js';
import { Metrics } from '../../core/observability/metrics.js';
import { dayMs } from '../../core/values/time.js';
import { hashOfKey } from '../../tenants/keys/api-key.guard.js';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import type { RequestLogDocument } from './request-log.schema.js';
import { RequestLogRepository } from './request-log.repository.js';

const intervalMs = 2_000;
/** Beyond this number, requests are dropped. */
const maxWaitingRequests = 2_000;
/** A response may contain a hundred messages; the log keeps fewer. */
const maxMessages = 10;
/** Daily limit of a key over all processes. */
const maxLoggedPerDay = 1_000;

/** Requests of keys that are not known yet; further ones are not logged, so that guessed keys cost little. */
const maxUnidentified = 200;

type LoggedKey = Pick<RequestCaller, 'organizationId' | 'apiKeyId'>;

interface UnidentifiedRequest {
  readonly hash: string;
  readonly fields: Omit<RequestLogDocument, keyof LoggedKey>;
}

/** Logs refused requests, and accepted ones with ignored fields or notices, in batches (rule OPS-36). */
@Injectable()
export class RequestRecorder implements BeforeApplicationShutdown {
  private readonly loop = new PollingLoop(
    'Could not store the request log; retrying in 2 seconds',
    () => this.storeBatch(),
    () => intervalMs,
  );
  private waiting: RequestLogDocument[] = [];
  private unidentified: UnidentifiedRequest[] = [];
  private lost = 0;
  /** Requests logged today by key, as far as this process knows. */
  private readonly loggedToday = new Map<string, number>();
  private day = 0;

  constructor(
    private readonly log: RequestLogRepository,
    private readonly keys: ApiKeysService,
    private readonly messages: MessagesService,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.collect(
      'request_log_lost_total',
      'Requests missing from the request log because the database was unavailable or the buffer was full.',
      () => this.lost,
    );
    metrics.collect(
      'request_log_waiting',
      'Requests that wait to be stored in the request log; 2,000 at most.',
      () => this.waiting.length,
    );
  }

  start(fastify: FastifyInstance): void {
    fastify.completedRequestListeners.push((completed, request) => {
      const { status, errorCodes, ignoredFields, notices } = completed;
      const isLogged = status >= 400 || Boolean(errorCodes ?? ignoredFields ?? notices);
      if (isLogged) this.note(completed, request);
    });
    this.loop.start();
  }

  async store(): Promise<void> {
    await this.loop.run();
  }

  /** Keeps the requests while the database is unavailable. */
  private async storeBatch(): Promise<void> {
    await this.identify();
    const byKey = Map.groupBy(this.waiting, ({ apiKeyId }) => apiKeyId.toHexString());
    for (const requests of byKey.values()) await this.storeOfKey(requests);
  }

  /** At this stage of the shutdown, requests have finished and the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.finish();
  }

  /** Finds the keys of requests without a caller: unknown paths, and keys that have ended. */
  private async identify(): Promise<void> {
    const requests = this.unidentified;
    if (requests.length === 0) return;
    const keys = await this.keys.findByHashes(requests.map(({ hash }) => hash));
    this.unidentified = this.unidentified.slice(requests.length);
    for (const { hash, fields } of requests) {
      const key = keys.get(hash);
      if (key !== undefined)
        this.add({ organizationId: key.organizationId, apiKeyId: key._id }, () => fields);
    }
  }

  private async storeOfKey(requests: readonly RequestLogDocument[]): Promise<void> {
    const [first] = requests;
    if (first === undefined) return;
    const { organizationId, apiKeyId } = first;
    const today = new Date(Math.floor(this.clock.now().getTime() / dayMs) * dayMs);
    const key = { organizationId, apiKeyId };
    const logged = await this.log.countOfKey(key, today, maxLoggedPerDay);
    const room = Math.max(0, Math.min(requests.length, maxLoggedPerDay - logged));
    const taken = new Set(requests);
    this.waiting = this.waiting.filter((request) => !taken.has(request));
    if (room < requests.length) this.loggedToday.set(first.apiKeyId.toHexString(), maxLoggedPerDay);
    try {
      await this.log.insert(requests.slice(0, room));
    } catch (error) {
      // The outcome is unknown and a retry could log them twice, so they are reported as lost.
      this.lost += room;
      throw error;
    }
  }

  private note(completed: CompletedRequest, request: FastifyRequest): void {
    const { caller } = request;
    if (caller !== undefined) return this.add(caller, () => this.fieldsOf(completed, request));
    const hash = hashOfKey(request);
    if (hash !== undefined && this.unidentified.length < maxUnidentified)
      this.unidentified = [
        ...this.unidentified,
        { hash, fields: this.fieldsOf(completed, request) },
      ];
  }

  /** @param fieldsOf is not called beyond the limits, so that a flood of refused requests costs little */
  private add(
    { organizationId, apiKeyId }: LoggedKey,
    fieldsOf: () => UnidentifiedRequest['fields'],
  ): void {
    if (!this.hasRoom(apiKeyId.toHexString(), this.clock.now().getTime())) return;
    if (this.waiting.length >= maxWaitingRequests) this.lost++;
    else this.waiting.push({ ...fieldsOf(), organizationId, apiKeyId });
  }

  private fieldsOf(
    completed: CompletedRequest,
    { id: requestId, caller, failure }: FastifyRequest,
  ): UnidentifiedRequest['fields'] {
    const now = this.clock.now();
    const failures = [...(failure ? [failure] : []), ...(caller?.failures ?? [])];
    const texts = failures
      .slice(0, maxMessages)
      .flatMap((error) => maskMessages(error, maxMessages))
      .map((message) => this.messages.textOf(message, 'en-us'));
    return {
      _id: new Types.ObjectId(),
      route: `${completed.method} ${completed.route}`,
      status: completed.status,
      errorCodes: completed.errorCodes ?? [],
      messages: [...new Set(texts)].slice(0, maxMessages),
      ignoredFields: completed.ignoredFields ?? [],
      notices: completed.notices ?? [],
      requestId,
      durationMs: completed.milliseconds,
      createdAt: now,
      updatedAt: now,
    };
  }

  /** Beyond the daily limit, requests are only counted. */
  private hasRoom(keyId: string, now: number): boolean {
    const day = Math.floor(now / dayMs);
    if (day !== this.day) this.loggedToday.clear();
    this.day = day;
    const count = this.loggedToday.get(keyId) ?? 0;
    if (count >= maxLoggedPerDay) return false;
    this.loggedToday.set(keyId, count + 1);
    return true;
  }
}
