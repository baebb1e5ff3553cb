import {
  type Attributes,
  type Context,
  context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
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
import { routePatternOf } from './route-pattern.js';

export type SetSpanAttributes = (attributes: Attributes) => void;

export type Tracing = ReturnType<typeof startOpenTelemetry>;

type Variables = Readonly<Record<string, string | undefined>>;

/** Limits the wait for the collector at the end of the process. */
const flushTimeoutMs = 1_000;

const scheduledDelayMs = 5_000;

const ignore = () => undefined;

/** Instruments by hand: the official packages for Fastify and the driver would record paths and statements. */
export function startOpenTelemetry(variables: Variables, logger: Logger) {
  const warn = (message: string) => logger.warn(`Tracing: ${message}`);
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  const protocol =
    variables['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || variables['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol && protocol !== 'http/protobuf') {
    logger.warn(`Unsupported OTLP protocol ${protocol}; using http/protobuf`);
  }
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'integration-api' }))
      .merge(detectResources({ detectors })),
    sampler: samplerOf(variables),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: Number(variables['OTEL_BSP_SCHEDULE_DELAY'] || scheduledDelayMs),
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const stop = async () => {
    const timeout = new Promise((resolve) => setTimeout(resolve, flushTimeoutMs).unref());
    await Promise.race([provider.shutdown().catch(ignore), timeout]);
    for (const api of [trace, context, propagation, diag]) api.disable();
  };
  return { traced, traceRequests, traceCommands, stop };
}

/** Follows the caller's sampling decision by default. */
function samplerOf(variables: Variables): Sampler {
  const name = variables['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on';
  const ratio = Number(variables['OTEL_TRACES_SAMPLER_ARG'] || 1);
  const root = rootSampler(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

function traceRequests(fastify: FastifyInstance): void {
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

function traceCommands(client: MongoClient): void {
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

function endRequest(span: Span, { id, caller }: FastifyRequest, status: number): void {
  span.setAttributes({ 'http.response.status_code': status, 'request.id': id });
  if (caller !== undefined) span.setAttribute('organization.id', String(caller.organizationId));
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

async function traced<T>(
  name: string,
  attributes: Attributes,
  work: (describe: SetSpanAttributes) => Promise<T>,
): Promise<T> {
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

function tracer() {
  return trace.getTracer('integration-api');
}

/** Omits the error's message, which may quote data. */
function setFailed(span: Span, error: unknown): void {
  const { codeName, name } = (error ?? {}) as Readonly<Record<string, string>>;
  span.setStatus({ code: SpanStatusCode.ERROR, message: codeName ?? name ?? 'error' });
}
