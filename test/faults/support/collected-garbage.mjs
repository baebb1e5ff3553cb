// Loaded before the service, this collects all garbage every five seconds. Otherwise memory would show when V8
// collects, not what the service keeps.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setInterval(() => collect(), 5_000).unref();
