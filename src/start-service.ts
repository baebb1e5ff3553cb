import { ConfigurationError } from './configuration/environment.js';
import { type RunningService, runService } from './run-service.js';

/** Runs the service until a signal ends it; a start that fails ends the process with one line. */
export async function startService(): Promise<void> {
  try {
    const service = await runService();
    shutDownOnSignals(service);
    service.announce();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof ConfigurationError ? 2 : 1);
  }
}

function shutDownOnSignals(service: RunningService): void {
  const shutDown = () => {
    void service.shutDown().then((isFinished) => process.exit(isFinished ? 0 : 1));
  };
  // npm forwards signals that the process group has had already, so each may come twice.
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
}
