import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { secondsBounds } from '../../usage/call-counts.js';
import type { CompletedRequest } from '../../../core/http/server/request-log.js';
import { Distribution, type Reading } from './reading.js';

/** How many API keys have figures of their own; the calls of further ones count together. */
const keysLimit = 1_000;

interface RequestTimes {
  readonly labels: Readonly<Record<'method' | 'route' | 'status', string>>;
  readonly distribution: Distribution;
}

interface KeyCalls {
  readonly labels: Readonly<Record<'key' | 'organization', string>>;
  calls: number;
  /** In milliseconds since 1970. */
  lastCallAt: number;
}

/** Counts the responses of the API: how long they took, and whose requests they were for. */
@Injectable()
export class RequestReadings {
  private readonly times = new Map<string, RequestTimes>();
  private readonly keys = new Map<string, KeyCalls>();
  private aborted = 0;

  /** Counts from now on. */
  addTo(fastify: FastifyInstance): void {
    fastify.onCompletedRequest = (request) => this.count(request);
  }

  /** What was counted. */
  readings(): Reading[] {
    return [
      {
        name: 'http_request_duration_seconds',
        help: 'Time from the arrival of a request to the end of its response.',
        type: 'histogram',
        read: () => [...this.times.values()],
      },
      {
        name: 'http_requests_aborted_total',
        help: 'Requests whose client left before it had the whole response.',
        type: 'counter',
        read: () => [{ value: this.aborted }],
      },
      {
        name: 'key_calls_total',
        help: 'Requests of each API key, by its id.',
        type: 'counter',
        read: () => [...this.keys.values()].map(({ labels, calls: value }) => ({ labels, value })),
      },
      {
        name: 'key_last_call_timestamp_seconds',
        help: 'When this process had the last request of an API key, in seconds since 1970.',
        type: 'gauge',
        read: () =>
          [...this.keys.values()].map(({ labels, lastCallAt }) => ({
            labels,
            value: lastCallAt / 1_000,
          })),
      },
    ];
  }

  private count(request: CompletedRequest): void {
    const { method, route, status, milliseconds, apiKeyId, aborted } = request;
    const name = `${method} ${route} ${status}`;
    let times = this.times.get(name);
    if (times === undefined) {
      const labels = { method, route, status: String(status) };
      times = { labels, distribution: new Distribution(secondsBounds) };
      this.times.set(name, times);
    }
    times.distribution.observe(milliseconds / 1_000);
    if (aborted === true) this.aborted++;
    if (apiKeyId !== undefined) this.countCall(apiKeyId, request.organizationId);
  }

  private countCall(apiKeyId: string, organization = ''): void {
    let calls = this.keys.get(apiKeyId);
    if (calls === undefined) {
      const labels =
        this.keys.size < keysLimit
          ? { key: apiKeyId, organization }
          : { key: 'other', organization: 'other' };
      calls = this.keys.get(labels.key) ?? { labels, calls: 0, lastCallAt: 0 };
      this.keys.set(labels.key, calls);
    }
    calls.calls++;
    calls.lastCallAt = Date.now();
  }
}
