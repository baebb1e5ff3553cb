import { promisify } from 'node:util';
import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';

export interface PasswordHash {
  readonly factors: ScryptOptions;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** OWASP's recommendation for 32 MiB: cost, block size and parallelization. */
const recommendedCost = [32_768, 8, 3] as const;

const saltBytes = 16;
const hashBytes = 32;
/** Parameters that need more memory must be a typing error. */
const maxMemoryBytes = 256 * 2 ** 20;

/** Shells, Compose and env files would expand `$…`. */
const separator = ':';

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const derive = (password: string, salt: Buffer, factors: ScryptOptions) =>
  scryptAsync(password.normalize('NFKC'), salt, hashBytes, factors);

function factorsOf(cost: number, blockSize: number, parallelization: number): ScryptOptions {
  return { cost, blockSize, parallelization, maxmem: 2 * 128 * cost * blockSize };
}

/** The format is `scrypt:cost:block:parallel:salt:hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, factorsOf(...recommendedCost));
  const bytes = [salt, hash].map((part) => part.toString('base64url'));
  return ['scrypt', ...recommendedCost, ...bytes].join(separator);
}

/** @returns null for an invalid hash */
export function parsePasswordHash(text: string): PasswordHash | null {
  const pattern = /^scrypt:(\d{4,7}):(\d{1,2}):(\d{1,2}):([\w-]{22}):([\w-]{43})$/;
  const [, ...parts] = pattern.exec(text.trim()) ?? [];
  const [cost = 0, blockSize = 0, parallelization = 0] = parts.slice(0, 3).map(Number);
  const [salt, hash] = parts.slice(3).map((part) => Buffer.from(part, 'base64url'));
  if (salt === undefined || hash === undefined) return null;
  const isPowerOfTwo = Number.isInteger(Math.log2(cost));
  const memory = 128 * cost * blockSize;
  if (!isPowerOfTwo || blockSize < 1 || parallelization < 1 || memory > maxMemoryBytes) return null;
  return { factors: factorsOf(cost, blockSize, parallelization), salt, hash };
}

/** Runs in a thread of the pool, because it takes tens of milliseconds. */
export async function isPassword(password: string, expected: PasswordHash): Promise<boolean> {
  const given = await derive(password, expected.salt, expected.factors);
  return timingSafeEqual(given, expected.hash);
}
