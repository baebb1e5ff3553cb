import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { Binary } from 'mongodb';
import type { Types } from 'mongoose';

export interface ServiceResponse<Body = unknown> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export type PackedResponse = Omit<StoredResponse, 'body'> & {
  readonly body: string | Binary | null;
};

/** A request's right to run for its `Idempotency-Key` (rule HTTP-23). */
export interface IdempotencyClaim {
  readonly organizationId: Types.ObjectId;
  readonly recordId: Types.ObjectId;
  /** Changes when another request takes the claim over. */
  readonly owner: string;
  readonly headersSoFar: () => Readonly<Record<string, string>>;
  /** Stored by the last attempt of the transaction; committed if it is what the service responds with. */
  response?: StoredResponse;
}

export function storedResponse(
  { headersSoFar }: IdempotencyClaim,
  { status, headers, body }: ServiceResponse,
): StoredResponse {
  const type = body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  return {
    status,
    headers: { ...headersSoFar(), ...type, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  };
}

/** The response to a large lead has it twice, and would not fit into a document uncompressed. */
const maxPlainLength = 32_768;
/** A window of 16 MiB, in which the second copy of a lead is found. */
const windowLog = 24;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export async function pack({ body, ...response }: StoredResponse): Promise<PackedResponse> {
  if (body === null || body.length <= maxPlainLength) return { ...response, body };
  const params = {
    [constants.ZSTD_c_windowLog]: windowLog,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  };
  return { ...response, body: new Binary(await compress(body, { params })) };
}

export async function unpack({ body, ...response }: PackedResponse): Promise<StoredResponse> {
  if (body === null || typeof body === 'string') return { ...response, body };
  const params = { [constants.ZSTD_d_windowLogMax]: windowLog };
  return { ...response, body: (await decompress(body.buffer, { params })).toString() };
}
