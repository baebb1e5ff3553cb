import type { Db, ObjectId } from 'mongodb';
import { Clock } from '../../src/core/configuration/clock.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { PartnersService } from '../../src/operator/usage/partners.service.js';
import { RequestLogService } from '../../src/operator/request-log/request-log.service.js';
import { RequestRecorder } from '../../src/operator/request-log/request-recorder.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { UsageService } from '../../src/operator/usage/usage.service.js';
import { startOpsListener } from '../../src/start.js';
import { startTestService, type TestService } from '../support/test-service.js';

const quarterMs = 900_000;
export const dayMs = 96 * quarterMs;

/** Starts a service that records requests, but stores what it has recorded only when a test calls `store`. */
export async function startRecording(
  databaseUri: string,
  variables: Record<string, string> = {},
): Promise<TestService> {
  const service = await startTestService(variables, databaseUri);
  await startOpsListener(service.service);
  for (const recorder of recordersOf(service)) await recorder.beforeApplicationShutdown();
  return service;
}

export async function store(...services: readonly TestService[]): Promise<void> {
  for (const recorder of services.flatMap(recordersOf)) await recorder.store();
}

function recordersOf({ service: { app } }: TestService) {
  return [app.get(RequestRecorder), app.get(UsageRecorder)];
}

export function operatorOf({ service: { app } }: TestService) {
  return {
    metrics: app.get(Metrics),
    partners: app.get(PartnersService),
    recorder: app.get(UsageRecorder),
    requestLog: app.get(RequestLogService),
    usage: app.get(UsageService),
  };
}

/** Moves the clock of a service by the milliseconds. */
export function moveClock({ service: { app } }: TestService, passedMs: number): void {
  app.get(Clock).now = () => new Date(Date.now() + passedMs);
}

/** Adds calls at times that are given in days before now, and the last use of the key. */
export async function addCalls(
  db: Db,
  apiKeyId: ObjectId,
  daysAgo: readonly number[],
  counts: Record<string, number> = {},
): Promise<void> {
  const times = daysAgo.map((days) => Date.now() - days * dayMs);
  const documents = times.map((time) => ({
    at: new Date(time - (time % quarterMs)),
    apiKeyId,
    route: 'GET /sample',
    calls: 1,
    ...counts,
  }));
  await db.collection('usage').insertMany(documents);
  const lastUsedAt = new Date(Math.max(...times));
  await db.collection('apiKeys').updateOne({ _id: apiKeyId }, { $set: { lastUsedAt } });
}
