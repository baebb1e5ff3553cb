import type { IncomingHttpHeaders } from 'node:http';

export function hasBody({
  'content-length': length,
  'transfer-encoding': encoding,
}: IncomingHttpHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== '0');
}
