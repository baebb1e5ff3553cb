import { SingleBar } from 'cli-progress';

type Progress = (done: number, total: number) => void;

/** Exit code after ctrl-C. */
export const interruptedCode = 130;

export class InterruptedError extends Error {}

/** npm repeats a signal to the process group, so a second one within this time, in ms, counts as the same. */
const echoMs = 1_000;
const endingSignals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Shows progress on a terminal. Ctrl-C interrupts the work and restores the terminal.
 *
 * @param texts name the counted records and the next step after an interruption
 * @throws InterruptedError with the progress
 */
export async function withProgress<T>(
  texts: { readonly counted: string; readonly remedy: string },
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const bar = new SingleBar({
    format: `{bar} {value} of {total} ${texts.counted}`,
    noTTYOutput: false,
    clearOnComplete: true,
  });
  let state: { readonly done: number; readonly total: number } | undefined;
  let interruptedAt: number | undefined;
  const progress: Progress = (done, total) => {
    // Running work must not draw over the last line.
    if (interruptedAt !== undefined) return;
    if (state === undefined) bar.start(total, 0);
    state = { done, total };
    bar.update(done);
  };
  const { promise: interruption, reject: interrupt } = Promise.withResolvers<never>();
  const onSignal = () => {
    const isImpatient = interruptedAt !== undefined && Date.now() - interruptedAt > echoMs;
    if (isImpatient) process.exit(interruptedCode);
    interruptedAt ??= Date.now();
    const reached = state === undefined ? 'no' : `${state.done} of ${state.total}`;
    interrupt(new InterruptedError(`Stopped: ${reached} ${texts.counted}. ${texts.remedy}`));
  };
  for (const signal of endingSignals) process.on(signal, onSignal);
  try {
    return await Promise.race([work(progress), interruption]);
  } finally {
    // After an interruption the handler stays: a further signal ends the process.
    if (interruptedAt === undefined) {
      for (const signal of endingSignals) process.off(signal, onSignal);
    }
    if (state !== undefined) bar.stop();
  }
}
