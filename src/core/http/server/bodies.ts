import type { IncomingMessage } from 'node:http';

/** Whether the client waits to be asked for its body. */
export function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

/** Whether a request's headers say that a body follows. */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
