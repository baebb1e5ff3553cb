// All test files of a run share this service. Its modules load while the database starts, so it gets its settings from
// the parent only afterwards. It reports its address, and exits with its parent.
import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { getConnectionToken } from '@nestjs/mongoose';
import { readEnvironment } from '../../dist/core/configuration/load-environment.js';
import { createLogger } from '../../dist/core/http/server/logger.js';
import { createService, listen } from '../../dist/start.js';
import { monitored, watchTenantCommands } from './tenant-commands.ts';

process.once('disconnect', () => process.exit());
const [{ variables, log }] = await once(process, 'message');
const logFile = openSync(log, 'a');
const environment = readEnvironment(variables);
const logger = createLogger(environment, { write: (line) => writeSync(logFile, line) });
const options = { environment, databaseUri: `${variables.MONGODB_URI}&${monitored}`, logger };
const service = await createService(options);
watchTenantCommands(service.app.get(getConnectionToken()));
process.send(await listen(service, options));
// This process is usually killed, so it saves the compiled code now and lets the next run start sooner.
flushCompileCache();
