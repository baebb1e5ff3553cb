import type { DeliveryAttempt } from './webhook-delivery.schema.js';

const maxLength = 300;
const readableTypes = /^(?:text\/|application\/(?:json$|[^/]+\+json$))/;
/** Includes characters that change the direction of a line. */
const controlCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const words = /[^\s<>"'(),]+/gu;
/** Also in the spellings of URLs, JSON and HTML. */
const atSign = /@|%40|\\u0040|&#64|&#x40/i;

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
  const text = contentType === 'text/html' ? withoutTags(response) : response;
  // Masking comes first, because half an email would not be recognized.
  const masked = text
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
