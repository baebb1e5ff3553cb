const reported = new Set<string>();

/**
 * Prints a slow step of a start for a person at a terminal; a program that reads a pipe gets nothing.
 * A step that is retried is printed once.
 */
export function reportStep(line: string): void {
  if (!process.stderr.isTTY || reported.has(line)) return;
  reported.add(line);
  process.stderr.write(`${line}\n`);
}
