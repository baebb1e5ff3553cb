/** The message says how to continue; no stack is printed. */
export class StartupError extends Error {}

export class ConfigurationError extends StartupError {
  constructor(readonly problems: readonly string[]) {
    super(['The configuration is not valid:', ...problems.map((line) => `  ${line}`)].join('\n'));
  }
}
