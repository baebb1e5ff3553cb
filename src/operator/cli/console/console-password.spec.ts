import { PassThrough, Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { ask } from './console-password.js';

it('turns the terminal echo off before it asks for a password', async () => {
  const steps: string[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => steps.push(isRaw ? 'silent' : 'as before'),
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
  expect(steps).toEqual(['silent', 'Password: ', 'as before', '\n']);
});
