/** Why a process cannot start, with what to do about it: whoever reads the message needs no stack. */
export class StartupError extends Error {}

/** All problems of the configuration, one line each. */
export class ConfigurationError extends StartupError {
  constructor(readonly problems: readonly string[]) {
    super(['The configuration is not valid:', ...problems.map((line) => `  ${line}`)].join('\n'));
  }
}
