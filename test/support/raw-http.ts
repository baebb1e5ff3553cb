import { connect, type Socket } from 'node:net';

export interface RawResponse {
  /** All received bytes, including further responses. */
  readonly text: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON of the body, or undefined without a body. */
  readonly body: unknown;
}

export function openSocket(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1');
}

export function rawRequest(line: string, headers: readonly string[], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: x', ...headers, '', body].join('\r\n');
}

/**
 * Sends raw bytes and returns all bytes that the service sends until it closes the connection.
 *
 * @param headers without `Connection: close`, which this function adds
 */
export async function sendRaw(
  url: string,
  requestLine: string,
  headers: readonly string[],
  body = '',
): Promise<RawResponse> {
  const socket = openSocket(url);
  const head = [requestLine, 'Connection: close', ...headers].join('\r\n');
  socket.write(`${head}\r\n\r\n${body}`);
  return readToEnd(socket);
}

export async function readToEnd(socket: Socket): Promise<RawResponse> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return parsed(text);
}

/** Reads until the end or an error, because the service may close the connection while the test still writes. */
export async function readUntilClose(socket: Socket): Promise<RawResponse> {
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  await new Promise((resolve) => socket.on('error', resolve).on('end', resolve));
  socket.destroy();
  return parsed(text);
}

function parsed(text: string): RawResponse {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(field) ?? [];
    return [name.toLowerCase(), value];
  });
  return {
    text,
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    body: body === '' ? undefined : JSON.parse(body),
  };
}
