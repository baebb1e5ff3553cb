import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap near what is really in use. By itself it would triple under large responses before it
 * is cleaned up, although all that they need at a time is a few batches.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}
