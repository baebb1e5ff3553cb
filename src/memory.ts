import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap near what is really in use. By itself it would triple under large responses before it
 * is cleaned up, although all that they need at a time is a few batches. To be called before
 * the program is loaded, which leaves much behind.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=20');
  // In few steps: loading a bundle makes too little garbage for many.
  setFlagsFromString('--semi-space-growth-factor=6');
}

/** Keeps the young heap as large as it has become by loading the program, which is enough for a few batches. */
export function keepYoungHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
