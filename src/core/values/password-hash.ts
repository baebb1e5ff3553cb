import { promisify } from 'node:util';
import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';

export interface PasswordHash {
  /** `cost`, `blockSize` and `parallelization` are the work factors of scrypt. */
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** OWASP's recommendation for 32 MiB of memory. */
const standard = { cost: 32_768, blockSize: 8, parallelization: 3 };

const saltBytes = 16;
const hashBytes = 32;
/** A higher value is a typing error. */
const maxMemoryBytes = 256 * 2 ** 20;

/** Shells, Compose and env files would replace `$…`. */
const separator = ':';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** The format is `scrypt:cost:block:parallel:salt:hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password.normalize('NFKC'), salt, hashBytes, optionsOf(standard));
  const { cost, blockSize, parallelization } = standard;
  const bytes = [salt, hash].map((part) => part.toString('base64url'));
  return ['scrypt', cost, blockSize, parallelization, ...bytes].join(separator);
}

/** @returns null for an invalid text */
export function parsePasswordHash(text: string): PasswordHash | null {
  const match = /^scrypt:(\d{4,7}):(\d{1,2}):(\d{1,2}):([\w-]{22}):([\w-]{43})$/.exec(text.trim());
  if (match === null) return null;
  const [cost = 0, blockSize = 0, parallelization = 0] = match.slice(1, 4).map(Number);
  const [salt, hash] = match.slice(4).map((part) => Buffer.from(part, 'base64url'));
  if (salt === undefined || hash === undefined) return null;
  const isPowerOfTwo = Number.isInteger(Math.log2(cost));
  const memory = 128 * cost * blockSize;
  if (!isPowerOfTwo || blockSize < 1 || parallelization < 1 || memory > maxMemoryBytes) return null;
  return { cost, blockSize, parallelization, salt, hash };
}

/** Takes some tens of milliseconds in another thread. */
export async function isPassword(password: string, expected: PasswordHash): Promise<boolean> {
  const given = await derive(
    password.normalize('NFKC'),
    expected.salt,
    expected.hash.length,
    optionsOf(expected),
  );
  return timingSafeEqual(given, expected.hash);
}

function optionsOf({
  cost,
  blockSize,
  parallelization,
}: Omit<PasswordHash, 'salt' | 'hash'>): ScryptOptions {
  return { cost, blockSize, parallelization, maxmem: 2 * 128 * cost * blockSize };
}
