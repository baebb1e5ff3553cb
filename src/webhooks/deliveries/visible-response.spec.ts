import { describe, expect, it } from '@jest/globals';
import { visibleResponse } from './visible-response.js';

const shown = (response: string | null, contentType: string | null = 'text/plain') =>
  visibleResponse({ statusCode: 500, response, contentType });

describe('visibleResponse', () => {
  it.each([
    [400, 'no'],
    [599, 'no'],
    [399, null],
    [600, null],
    [204, null],
    [null, null],
  ])('for status %p returns %p', (statusCode, expected) => {
    expect(visibleResponse({ statusCode, response: 'no', contentType: 'text/plain' })).toBe(
      expected,
    );
  });

  it.each([
    ['text/plain', 'no'],
    ['text/csv', 'no'],
    ['application/json', 'no'],
    ['application/problem+json', 'no'],
    ['application/jsonp', null],
    ['application/octet-stream', null],
    ['image/svg+xml', null],
    ['x/text/plain', null],
    [null, null],
  ])('for the content type %p returns %p', (contentType, expected) => {
    expect(shown('no', contentType)).toBe(expected);
  });

  it('returns null for a response that was not stored or was erased', () => {
    expect(shown(null)).toBeNull();
    expect(visibleResponse({ statusCode: 500, response: 'no' })).toBeNull();
  });

  it.each([
    ['{"email":"mona@example.com","n":1}', '{"email":"•••@•••","n":•}'],
    ['mona@example.com', '•••@•••'],
    ['<mona+tag@example.com>, then (x@y)', '<•••@•••>, then (•••@•••)'],
    ['?q=mona%40example.com', '•••@•••'],
    [String.raw`{"e":"mona\u0040example.com"}`, '{"e":"•••@•••"}'],
    ['mona&#064;example.com', '•••@•••'],
    ['mona&#x0040;example.com', '•••@•••'],
    ['mona&commat;example.com', '•••@•••'],
    ['mona＠example.com', '•••@•••'],
    ['mo\u200Bna\u00AD\u2060@example.com', '•••@•••'],
    ['to "mona farid"@example.com', 'to •••@•••'],
    [String.raw`{"e":"\"mona farid\"@example.com"}`, '{"e":"•••@•••"}'],
    ['"mona" <x>', '"mona" <x>'],
    ['call 010-1234 or ٠١٠', 'call •••-•••• or •••'],
  ])('masks emails and digits of %p as %p', (response, expected) => {
    expect(shown(response)).toBe(expected);
  });

  it('replaces control characters and changes of direction', () => {
    expect(shown('a\u0000b\u001B[31mc\r\n\u202Ed\u2028e')).toBe('a b [••mc d e');
  });

  it('cuts at 300 characters after masking', () => {
    expect(shown('é'.repeat(301))).toBe('é'.repeat(300));
    expect(shown('😀'.repeat(301))).toBe('😀'.repeat(300));
    expect(shown(`${'x'.repeat(290)} mona@example.com`)).toBe(`${'x'.repeat(290)} •••@•••`);
    expect(shown(`${'x '.repeat(148)}mona@example.com`)).toBe(`${'x '.repeat(148)}•••@`);
  });

  it('masks the last word of a response that was cut, as it may be the start of an email', () => {
    const cut = `<style>${'x'.repeat(4_000)}</style>Unknown user mona.far`;
    expect(shown(cut, 'text/html')).toBe('Unknown user •••');
    expect(shown(cut.slice(-100), 'text/html')).toContain('mona.far');
  });

  it('returns the text of a page', () => {
    const page = `<html><style>p { top: 0 }</style><!-- <b>x</b> --><body class="a>b">
      <h1>Not found</h1><script>alert("1")</script> for <b>mona@example.com</b></body`;
    expect(shown(page, 'text/html')).toBe('b"> Not found for •••@•••');
    expect(shown('<b>x</b>', 'text/plain')).toBe('<b>x</b>');
  });

  it('takes little time for hostile texts', () => {
    const start = performance.now();
    for (const part of ['<', '<!--', '<script', 'x', '@', 'x@', ' ', '"', '" ', '"@']) {
      shown(part.repeat(4_096).slice(0, 4_096), 'text/html');
    }
    expect(performance.now() - start).toBeLessThan(500);
  });
});
