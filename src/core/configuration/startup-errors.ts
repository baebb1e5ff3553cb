/** Its message says how to continue, so commands print it without a stack. */
export class StartupError extends Error {}

export class ConfigurationError extends StartupError {
  constructor(readonly problems: readonly string[]) {
    super(['Invalid configuration:', ...problems.map((line) => `  ${line}`)].join('\n'));
  }
}
