import {
  type Context,
  context,
  diag,
  type DiagLogger,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MongoClient } from 'mongodb';
import type { Logger } from 'pino';
import type { Describe, InTrace, SpanAttributes, Tracing } from './traced.js';

const serviceName = 'integration-api';

/** How long the end of the process waits for a collector that does not take the last spans. */
const flushTimeoutMs = 1_000;

/** How long spans gather before they are sent together, unless a variable says otherwise. */
const scheduledDelayMs = 5_000;

const propagator = new W3CTraceContextPropagator();
const headerReader = {
  keys: (headers: FastifyRequest['headers']) => Object.keys(headers),
  get: (headers: FastifyRequest['headers'], name: string) => headers[name],
};

/**
 * Traces by OpenTelemetry, sent as OTLP over HTTP where the standard variables say. Spans hold route
 * patterns, ids and names of commands; no path, query, header, body or statement.
 */
export function openTelemetry(
  variables: Readonly<Record<string, string | undefined>>,
  logger: Logger,
): Tracing {
  diag.setLogger(diagnosticsTo(logger), DiagLogLevel.WARN);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': serviceName }))
      .merge(
        detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
      ),
    sampler: samplerOf(variables),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: Number(variables['OTEL_BSP_SCHEDULE_DELAY'] || scheduledDelayMs),
      }),
    ],
  });
  const tracer = provider.getTracer(serviceName);
  return {
    trace: (name, attributes, work) =>
      tracer.startActiveSpan(name, { attributes }, (span) => runIn(span, work)),
    current: currentTrace,
    traceRequests: (fastify) => traceRequests(tracer, fastify),
    traceCommands: (client) => traceCommands(tracer, client),
    stop: async () => {
      const timeout = new Promise((resolve) => setTimeout(resolve, flushTimeoutMs).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), timeout]);
    },
  };
}

function noop(): void {}

/** What the library says of itself, in the log of the service. */
function diagnosticsTo(logger: Logger): DiagLogger {
  const warn = (message: string) => logger.warn(`Tracing: ${message}`);
  return { error: warn, warn, info: noop, debug: noop, verbose: noop };
}

/** As OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG say; by default what the caller's trace says. */
function samplerOf(variables: Readonly<Record<string, string | undefined>>): Sampler {
  const name = variables['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on';
  const ratio = Number(variables['OTEL_TRACES_SAMPLER_ARG'] || 1);
  const root = rootSampler(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

async function runIn<T>(span: Span, work: (describe: Describe) => Promise<T>): Promise<T> {
  try {
    return await work((attributes) => span.setAttributes(attributes));
  } catch (error) {
    // The message of an error may quote data.
    span.setStatus({ code: SpanStatusCode.ERROR, message: errorName(error) });
    throw error;
  } finally {
    span.end();
  }
}

function currentTrace(): InTrace {
  const current = context.active();
  return (work) => context.with(current, work);
}

function traceRequests(tracer: Tracer, fastify: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const caller = propagator.extract(ROOT_CONTEXT, request.headers, headerReader);
    const { method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const attributes = { 'http.request.method': method, 'http.route': route };
    const options = { kind: SpanKind.SERVER, attributes };
    const span = tracer.startSpan(`${method} ${route}`, options, caller);
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

function endRequest(span: Span, { id, caller }: FastifyRequest, status: number): void {
  span.setAttributes({ 'http.response.status_code': status, 'request.id': id });
  if (caller !== undefined) {
    span.setAttribute('organization.id', caller.organizationId.toHexString());
  }
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function traceCommands(tracer: Tracer, client: MongoClient): void {
  const spans = new Map<number, Span>();
  client.on('commandStarted', ({ requestId, commandName, command, databaseName, address }) => {
    // Polls and pings of the background belong to no trace.
    if (trace.getActiveSpan() === undefined) return;
    const collection: unknown = command[commandName];
    const attributes: SpanAttributes = {
      'db.system.name': 'mongodb',
      'db.operation.name': commandName,
      'db.namespace': databaseName,
      'server.address': address,
      ...(typeof collection === 'string' ? { 'db.collection.name': collection } : {}),
    };
    const name = typeof collection === 'string' ? `${commandName} ${collection}` : commandName;
    spans.set(requestId, tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }));
  });
  const end = (requestId: number, error?: unknown) => {
    const span = spans.get(requestId);
    spans.delete(requestId);
    if (error !== undefined) {
      span?.setStatus({ code: SpanStatusCode.ERROR, message: errorName(error) });
    }
    span?.end();
  };
  client.on('commandSucceeded', ({ requestId }) => end(requestId));
  client.on('commandFailed', ({ requestId, failure }) => end(requestId, failure));
}

function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const { codeName } = error as { codeName?: unknown };
  return typeof codeName === 'string' ? codeName : error.name;
}
