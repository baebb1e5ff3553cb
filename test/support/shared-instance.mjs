// A service that all test files of a run share, in a process of its own: the modules of the first one load while
// the database starts. It gets its settings from the parent, reports its address, and exits with its parent.
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
// Usually it is killed, and the next run is to start sooner.
flushCompileCache();
