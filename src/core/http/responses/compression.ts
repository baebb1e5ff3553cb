import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyRequest } from 'fastify';

/** The default window would take 8 MB for each response in progress; this one takes 256 KB. */
export const brotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

export const minCompressedBytes = 1_024;

export const encodings = ['br', 'gzip'] as const;

/** For bodies that are sent often: the server compresses every other body itself. */
export const compressions = {
  br: (body: Buffer) => promisify(brotliCompress)(body, brotliOptions),
  gzip: promisify<Buffer, Buffer>(gzip),
};

export type Encoding = (typeof encodings)[number] | 'identity';

/** Chooses as `@fastify/compress` does. */
export function acceptedEncoding({
  'accept-encoding': accepted,
}: FastifyRequest['headers']): Encoding {
  if (typeof accepted !== 'string') return 'identity';
  const found = negotiate(accepted.toLowerCase(), [...encodings]);
  return encodings.find((encoding) => encoding === found) ?? 'identity';
}
