import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Tests and program must share these classes: `instanceof` compares some of them, and `expect` recognizes others by
 * name.
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

/** Lets a test file use modules that Node itself has loaded. */
export default class Environment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    for (const [name, builtIn] of Object.entries(builtIns)) {
      // Literals and errors of the engine keep the class of the test's realm, so that class becomes a subclass.
      Object.setPrototypeOf(this.global[name].prototype, builtIn.prototype);
      this.global[name] = builtIn;
    }
    const requireFromNode = createRequire(import.meta.url);
    Object.assign(this.global, { workerLog, requireFromNode });
  }
}
