import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MongoClient } from 'mongodb';
import type { Logger } from 'pino';
import { routePatternOf } from '../http/server/route-options.js';

/** Adds attributes to a span once they are known. */
type Describe = (attributes: Attributes) => void;

/** Runs work as part of the trace in which the function was created. */
export type InTrace = <T>(work: () => T) => T;

/** Sends the remaining spans; undefined while nothing is traced. */
let stop: (() => Promise<void>) | undefined;

export function isTracing(): boolean {
  return stop !== undefined;
}

/**
 * Starts to trace when the standard variables name a collector: `OTEL_EXPORTER_OTLP_ENDPOINT` or
 * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`. Otherwise OpenTelemetry's SDK is not loaded (rule OPS-13).
 */
export async function startTracing(
  logger: Logger,
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  const isDisabled = variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  const exporters = (variables['OTEL_TRACES_EXPORTER'] || 'otlp').split(',');
  const collector =
    variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || variables['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (isDisabled || !exporters.includes('otlp') || !collector) return;
  try {
    const { startOpenTelemetry } = await import('./open-telemetry.js');
    stop = startOpenTelemetry(variables, logger);
  } catch (error) {
    // A wrong address of a collector must not keep the service from its work.
    logger.warn({ err: error }, 'Traces cannot be sent');
  }
}

/** Sends the remaining spans, as far as the collector takes them in time. */
export async function stopTracing(): Promise<void> {
  await stop?.();
  stop = undefined;
}

/** Runs work in a span; attributes hold nothing personal and nothing secret. */
export async function traced<T>(
  name: string,
  attributes: Attributes,
  work: (describe: Describe) => Promise<T>,
): Promise<T> {
  if (!isTracing()) return work(() => undefined);
  return tracer().startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work((more) => span.setAttributes(more));
    } catch (error) {
      setFailed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs later work in the trace that is open now. */
export function inCurrentTrace(): InTrace {
  const current = context.active();
  return (work) => context.with(current, work);
}

/** Makes a span of each request from now on, in the trace of its caller. */
export function traceRequests(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  const contexts = new WeakMap<FastifyRequest, Context>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const caller = propagation.extract(ROOT_CONTEXT, request.headers);
    const { method } = request;
    const route = routePatternOf(request);
    const attributes = { 'http.request.method': method, 'http.route': route };
    const options = { kind: SpanKind.SERVER, attributes };
    const span = tracer().startSpan(`${method} ${route}`, options, caller);
    reply.raw.once('close', () => endRequest(span, request, reply.statusCode));
    const inside = trace.setSpan(caller, span);
    contexts.set(request, inside);
    context.with(inside, done);
  });
  // The events by which a body arrives belong to its connection, not to its request.
  fastify.addHook('preHandler', (request, _reply, done) => {
    context.with(contexts.get(request) ?? context.active(), done);
  });
}

/** Makes a span of each command to the database that belongs to a trace, but for those of the background. */
export function traceCommands(client: MongoClient): void {
  if (!isTracing()) return;
  const spans = new Map<number, Span>();
  client.on('commandStarted', ({ requestId, commandName, command, databaseName, address }) => {
    if (trace.getActiveSpan() === undefined) return;
    const collection: unknown = command[commandName];
    const isNamed = typeof collection === 'string';
    const attributes: Attributes = {
      'db.system.name': 'mongodb',
      'db.operation.name': commandName,
      'db.namespace': databaseName,
      'server.address': address,
      ...(isNamed ? { 'db.collection.name': collection } : {}),
    };
    const name = isNamed ? `${commandName} ${collection}` : commandName;
    spans.set(requestId, tracer().startSpan(name, { kind: SpanKind.CLIENT, attributes }));
  });
  const end = (requestId: number, error?: Error) => {
    const span = spans.get(requestId);
    spans.delete(requestId);
    if (span !== undefined && error !== undefined) setFailed(span, error);
    span?.end();
  };
  client.on('commandSucceeded', ({ requestId }) => end(requestId));
  client.on('commandFailed', ({ requestId, failure }) => end(requestId, failure));
}

function tracer() {
  return trace.getTracer('integration-api');
}

function endRequest(span: Span, { id, caller }: FastifyRequest, status: number): void {
  span.setAttributes({ 'http.response.status_code': status, 'request.id': id });
  if (caller !== undefined) span.setAttribute('organization.id', String(caller.organizationId));
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Without the message of the error, which may quote data. */
function setFailed(span: Span, error: unknown): void {
  const { codeName, name } = (error ?? {}) as Readonly<Record<string, string>>;
  span.setStatus({ code: SpanStatusCode.ERROR, message: codeName ?? name ?? 'error' });
}
