import { subscribe } from 'node:diagnostics_channel';
import type { DiagnosticsChannel, errors } from 'undici';

const usedSockets = new WeakSet<object>();
const requestsOnUsedSockets = new WeakSet<object>();
const failedOnUsedSockets = new WeakSet<Error>();

/** Codes of a connection that the other side has closed. */
const closedCodes: ReadonlySet<string | undefined> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET' satisfies errors.SocketError['code'],
]);

subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as DiagnosticsChannel.ClientSendHeadersMessage;
  if (usedSockets.has(socket)) requestsOnUsedSockets.add(request);
  usedSockets.add(socket);
});
subscribe('undici:request:error', (message) => {
  const { request, error } = message as DiagnosticsChannel.RequestErrorMessage;
  if (requestsOnUsedSockets.has(request)) failedOnUsedSockets.add(error);
});

/**
 * Whether a request failed because the receiver closed the connection of an earlier one. It closed
 * it as idle, most likely, so that this says nothing about the request.
 */
export function isClosedReusedConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    failedOnUsedSockets.has(error) &&
    closedCodes.has((error as NodeJS.ErrnoException).code)
  );
}
