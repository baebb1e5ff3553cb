/** Takes a line that says how far long work has come. */
export type Report = (line: string) => void;

const intervalMs = 2_000;

/** Waits for work and, when it takes long, reports every two seconds how far it has come. */
export async function withReports<T>(
  work: Promise<T>,
  progress: () => Promise<string> | string,
  report: Report,
): Promise<T> {
  const timer = setInterval(() => void Promise.resolve(progress()).then(report), intervalMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
