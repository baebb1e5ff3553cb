import { PassThrough, Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { ask } from './console-password.js';

it('the password prompt turns the terminal echo off before the question', async () => {
  const steps: string[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => steps.push(isRaw ? 'echo off' : 'echo on'),
  });
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      steps.push(chunk.toString());
      done();
    },
  });
  const answer = ask('Password: ', input, output);
  input.write('long enough\n');
  expect(await answer).toBe('long enough');
  expect(steps).toEqual(['echo off', 'Password: ', 'echo on', '\n']);
});
