import type { DeliveryAttempt } from './webhook-delivery.schema.js';

const maxLength = 300;
const readableTypes = /^(?:text\/|application\/(?:json$|[^/]+\+json$))/;
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
/** Invisible characters, which could split an email, and characters that change the direction of a line. */
const formatCharacters = /\p{Cf}/gu;
/** Also in the spellings of URLs, JSON and HTML. */
const atSigns = String.raw`[@\uFF20\uFE6B]|%40|\\u0040|&#0*64|&#x0*40|&commat`;
const atSign = new RegExp(atSigns, 'iu');
/** The part of an email before the sign may be quoted, and then contain blanks; the quotes may be escaped. */
const words = new RegExp(String.raw`(?:\\?"[^"]{0,200}"(?=${atSigns}))?[^\s<>"'(),]+`, 'giu');
/** Attempts keep 4 KiB, so a longer text may end within an email. */
const maxCompleteBytes = 4_000;
const lastWord = /(?<![^\s<>"'(),])[^\s<>"'(),]+$/u;

/**
 * Returns the start of an error response that may be shown without a logged disclosure: one line with emails and digits
 * masked. Returns null for a response that is neither text nor JSON, and for other statuses.
 */
export function visibleResponse({
  statusCode,
  response,
  contentType,
}: Pick<DeliveryAttempt, 'statusCode' | 'response' | 'contentType'>): string | null {
  const isError = statusCode !== null && statusCode >= 400 && statusCode < 600;
  if (!isError || response === null || !readableTypes.test(contentType ?? '')) return null;
  const complete =
    Buffer.byteLength(response) < maxCompleteBytes ? response : response.replace(lastWord, '•••');
  const text = contentType === 'text/html' ? withoutTags(complete) : complete;
  // Masking comes first, because half an email would not be recognized.
  const masked = text
    .replace(formatCharacters, '')
    .replace(controlCharacters, ' ')
    .replace(words, (word) => (atSign.test(word) ? '•••@•••' : word))
    .replace(/\p{Nd}/gu, '•');
  return [...masked.replace(/\s+/gu, ' ').trim()].slice(0, maxLength).join('');
}

function withoutTags(html: string): string {
  return html
    .replace(/<(script|style)\b.*?(?:<\/\1>|$)/gis, ' ')
    .replace(/<!--.*?(?:-->|$)/gs, ' ')
    .replace(/<[^<>]*>?/g, ' ');
}
