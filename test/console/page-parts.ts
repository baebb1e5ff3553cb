import { textOf } from './console-client.js';

/** Returns the HTML from the heading of a card to that of the next one; empty without such a card. */
export function cardOf(html: string, title: string): string {
  const cards = html.split('<h2').slice(1);
  return cards.map((card) => `<h2${card}`).find((card) => headingOf(card) === title) ?? '';
}

/** Returns the text of the card with this heading. */
export function cardText(html: string, title: string): string {
  return textOf(cardOf(html, title)).trim();
}

/** Returns the text of each item of the lists. */
export function itemsIn(html: string): string[] {
  return [...html.matchAll(/<li[^>]*>(.*?)<\/li>/gs)].map(([, item = '']) => textOf(item).trim());
}

/** Returns the text of each line that opens its details by a click, with its details. */
export function linesIn(html: string): string[] {
  const lines = html.matchAll(/<details[^>]*>(.*?)<\/details>/gs);
  return [...lines].map(([, line = '']) => textOf(line).trim());
}

/** Returns the text of the cells of each row, without the heading. */
export function rowsIn(html: string): string[][] {
  const bodies = [...html.matchAll(/<tbody>(.*?)<\/tbody>/gs)].map(([, body = '']) => body);
  return [...bodies.join('').matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => textOf(cell).trim()),
  );
}

/** Returns the path below `/console` of the first link whose address contains this text. */
export function linkIn(html: string, part: string): string {
  const links = [...html.matchAll(/href="\/console([^"]*)"/g)].map(([, path = '']) => path);
  return (links.find((path) => path.includes(part)) ?? '').replaceAll('&amp;', '&');
}

/** Returns the text of the value with this title in a list of fields. */
export function fieldIn(html: string, title: string): string {
  const fields = html.matchAll(/<dt[^>]*>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/gs);
  const found = [...fields].find(([, name]) => name === title);
  return textOf(found?.[2] ?? '').trim();
}

/** Returns the hidden fields of the form with this target below `/console`. */
export function formIn(html: string, target: string): Record<string, string> {
  const forms = [...html.matchAll(/<form[^>]*action="\/console([^"]*)"[^>]*>(.*?)<\/form>/gs)];
  const [, , content = ''] = forms.find(([, action]) => action === target) ?? [];
  const fields = [...content.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

/** Returns after how many seconds the page loads itself again. */
export function refreshSecondsOf(html: string): number {
  return Number(/data-refresh-seconds="(\d+)"/.exec(html)?.[1]);
}

function headingOf(card: string): string {
  return textOf(/<h2[^>]*>(.*?)<\/h2>/s.exec(card)?.[1] ?? '').trim();
}
