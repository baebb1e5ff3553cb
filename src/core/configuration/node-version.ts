const minMajor = 24;

/** Exits with one line on an older Node, on which the imports of the service would fail with a stack. */
export function requireNodeVersion(): void {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) >= minMajor) return;
  process.stderr.write(
    `Node ${minMajor} or newer is required, this is ${node}: install it, or run \`npm ci\`, after which the npm ` +
      'scripts use their own.\n',
  );
  process.exit(1);
}
