import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from '../core/configuration/load-environment.js';
import { environmentExample } from './configuration-reference.js';

describe('environmentExample', () => {
  it('is a valid configuration with the default values', () => {
    const lines = environmentExample()
      .split('\n')
      .filter((line) => /^\w+=/.test(line));
    const source = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
    expect(readEnvironment(source)).toEqual(readEnvironment({}));
    expect(environmentExample()).toContain('# MONGODB_URI=mongodb://');
  });
});
