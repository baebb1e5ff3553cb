import { describe, expect, it } from '@jest/globals';
import { readableJson } from './readable-json.js';

describe('readable JSON', () => {
  it('stays on one line when it is short', () => {
    expect(readableJson({ a: [1, 'x'], b: {}, c: null }, 60)).toEqual([
      '{ "a": [1, "x"], "b": {}, "c": null }',
    ]);
  });

  it('is split by entry when it is long, and stays valid JSON', () => {
    const value = { ok: true, n: 7, lead: { name: 'Mona El Sayed', ids: ['a', 'b'] }, end: 1 };
    const lines = readableJson(value, 32);
    expect(lines).toEqual([
      '{',
      '  "ok": true, "n": 7,',
      '  "lead": {',
      '    "name": "Mona El Sayed",',
      '    "ids": ["a", "b"]',
      '  },',
      '  "end": 1',
      '}',
    ]);
    expect(JSON.parse(lines.join('\n'))).toEqual(value);
  });
});
