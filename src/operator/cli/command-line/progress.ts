import { SingleBar } from 'cli-progress';

/** Takes how much is done, of how much. */
type Progress = (done: number, total: number) => void;

/** The exit code that shells expect of a program that ctrl-C has ended. */
export const interruptedCode = 130;

/** The program was asked to end before it was through. */
export class InterruptedError extends Error {}

/** A second signal so soon is the same one: npm passes on what the process group has had already. */
const echoMs = 1_000;
const endingSignals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs long work and shows on standard error how far it has come, where a person can see it. Ctrl-C
 * leaves it where it is, with the terminal as it was before.
 *
 * @param texts what is counted, and what to do when the work is cut short
 * @throws InterruptedError that says how far the work had come; whatever the work throws
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
    // What runs until the database is closed must not draw over the last line.
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
    // After an interruption a further signal ends the program, which has yet to close the database.
    if (interruptedAt === undefined) {
      for (const signal of endingSignals) process.off(signal, onSignal);
    }
    if (state !== undefined) bar.stop();
  }
}
