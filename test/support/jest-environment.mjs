import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Built-in classes that `instanceof` checks across program and tests, and classes that `expect` knows by name.
 */
const builtIns = {
  Array,
  BigInt,
  Boolean,
  Date,
  Error,
  Function,
  Map,
  Number,
  RangeError,
  RegExp,
  Set,
  String,
  Symbol,
  SyntaxError,
  TypeError,
};

const lines = [];
const write = (chunk, _encoding, done) => done(void lines.push(chunk.toString()));
const workerLog = { lines, destination: new Writable({ write }) };

/** Environment of a test file; program and packages are loaded by Node itself. */
export default class Environment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    for (const [name, builtIn] of Object.entries(builtIns)) {
      // Literals and the engine's errors keep their own class, which becomes a subclass.
      Object.setPrototypeOf(this.global[name].prototype, builtIn.prototype);
      this.global[name] = builtIn;
    }
    const requireFromNode = createRequire(import.meta.url);
    Object.assign(this.global, { workerLog, requireFromNode });
  }
}
