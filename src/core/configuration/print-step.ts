const reported = new Set<string>();

/** Prints a slow step once, and only on a terminal, where a person waits. */
export function printStep(line: string): void {
  if (!process.stderr.isTTY || reported.has(line)) return;
  reported.add(line);
  process.stderr.write(`${line}\n`);
}
