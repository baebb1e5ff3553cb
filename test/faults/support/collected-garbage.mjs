// Loaded before the service: collects all garbage every five seconds. Else memory shows when V8 thought it
// worth while, which it does late where little is asked of it, and not what is kept.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setInterval(() => collect(), 5_000).unref();
