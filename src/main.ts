import { ConfigurationError } from './configuration/environment.js';
import { keepHeapSmall } from './memory.js';
import { type RunningService, runService } from './run-service.js';

keepHeapSmall();
try {
  const service = await runService();
  leaveOnSignals(service);
  service.announce();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof ConfigurationError ? 2 : 1);
}

function leaveOnSignals(service: RunningService): void {
  const leave = () => {
    void service.leave().then((isFinished) => process.exit(isFinished ? 0 : 1));
  };
  // npm passes signals on that the process group has had already, so each may come twice.
  process.on('SIGTERM', leave);
  process.on('SIGINT', leave);
}
