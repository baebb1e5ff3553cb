import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Reader {
  feed(bytes: Buffer): void;
}
type ReaderClass = new (onResponse: (status: number, bytes: number) => void) => Reader;

const file = join(import.meta.dirname, '../../bench/load/response-reader.mjs');
const { ResponseReader } = (await import(file)) as { readonly ResponseReader: ReaderClass };

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const responses = Buffer.from(
  [
    'HTTP/1.1 201 Created\r\ncontent-length: 12\r\n\r\n{"a":"\r\n\r\n"}',
    `${chunked}5\r\nab\r\nc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n`,
    'HTTP/1.1 304 Not Modified\r\ncontent-length: 1260000\r\n\r\n',
    'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n',
    `${chunked}0\r\n\r\n`,
  ].join(''),
);
const expected = [
  [201, 12],
  [200, 21],
  [304, 0],
  [404, 0],
  [200, 0],
];

describe('ResponseReader', () => {
  it('finds every response wherever the bytes are split', () => {
    for (let first = 0; first < responses.length; first++) {
      for (const second of [1, 2, 7, responses.length]) {
        const found: number[][] = [];
        const reader = new ResponseReader((status, bytes) => found.push([status, bytes]));
        reader.feed(responses.subarray(0, first));
        reader.feed(responses.subarray(first, first + second));
        reader.feed(responses.subarray(first + second));
        expect({ first, second, found }).toEqual({ first, second, found: expected });
      }
    }
  });
});
