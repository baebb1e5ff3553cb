const reported = new Set<string>();

/** Prints a slow step of the start on a terminal, but not to a pipe; a retried step once. */
export function reportStep(line: string): void {
  if (!process.stderr.isTTY || reported.has(line)) return;
  reported.add(line);
  process.stderr.write(`${line}\n`);
}
