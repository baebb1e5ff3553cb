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

type Describe = (attributes: Attributes) => void;

/** Runs work in the trace in which the function was created. */
export type InTrace = <T>(work: () => T) => T;

/** Undefined without tracing. */
let stop: (() => Promise<void>) | undefined;

export function isTracing(): boolean {
  return stop !== undefined;
}

/** Loads the SDK only if a standard variable names a collector (rule OPS-13). */
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
    // A wrong address of the collector must not prevent the start.
    logger.warn(
      { err: error },
      'Could not start tracing; the service runs without traces. Check the OTEL_… variables',
    );
  }
}

/** Sends the remaining spans if the collector responds in time. */
export async function stopTracing(): Promise<void> {
  await stop?.();
  stop = undefined;
}

/** @param attributes without personal or secret values */
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

export function inCurrentTrace(): InTrace {
  const current = context.active();
  return (work) => context.with(current, work);
}

/** Continues the trace of the caller. */
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
  // The events of an arriving body lose the context of the request.
  fastify.addHook('preHandler', (request, _reply, done) => {
    context.with(contexts.get(request) ?? context.active(), done);
  });
}

/** Makes spans of database commands within a trace. */
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

/** The message of the error may quote data. */
function setFailed(span: Span, error: unknown): void {
  const { codeName, name } = (error ?? {}) as Readonly<Record<string, string>>;
  span.setStatus({ code: SpanStatusCode.ERROR, message: codeName ?? name ?? 'error' });
}
