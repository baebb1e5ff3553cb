import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'puppeteer-core';

export interface Focused {
  /** The index among the focusable elements, or -1 without focus. */
  readonly index: number;
  readonly element: string;
  /** Whether the outline is visible within the window. */
  readonly isVisible: boolean;
}

const all = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')].filter((element) => element.checkVisibility())`;

/** Evaluated in the page: counts the elements that the keyboard must reach. */
export const focusable = `${all}.length`;

/** Evaluated in the page: returns the {@link Focused}. */
export const focused = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const isInWindow = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  return {
    index: ${all}.indexOf(element),
    element: element.tagName.toLowerCase() + (element.className && '.' + element.className),
    isVisible: isInWindow && right - left > 4 && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
  };
})()`;

/**
 * Evaluated in the page: lists elements that overflow the screen, and elements with unscrollable overflowing
 * content. The document's scroll width is not enough: in right-to-left pages it does not reveal overflow on
 * the left.
 */
const overflowingElements = `(() => {
  const screen = document.documentElement.clientWidth;
  const nameOf = (element) =>
    element.tagName.toLowerCase() + (element.className?.baseVal ?? element.className ? '.' + (element.className.baseVal ?? element.className) : '') +
    ' "' + element.textContent.trim().slice(0, 40) + '"';
  const scrolls = (element) => {
    const { overflowX } = getComputedStyle(element);
    return overflowX === 'auto' || overflowX === 'scroll';
  };
  const found = [];
  const look = (element) => {
    if (element.matches('.skip:not(:focus), .visually-hidden-focusable:not(:focus), script, style, datalist')) return;
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && (left < -0.5 || right > screen + 0.5))
      found.push(nameOf(element) + ' from ' + left + ' to ' + right + ' of ' + screen);
    else if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && !scrolls(element) && !element.closest('svg') && !element.matches('input, select'))
      found.push(nameOf(element) + ' has ' + element.scrollWidth + ' in ' + element.clientWidth);
    if (scrolls(element)) return;
    for (const child of element.children) look(child);
  };
  look(document.body);
  if (document.documentElement.scrollWidth > screen) found.push('document: ' + document.documentElement.scrollWidth);
  return found;
})()`;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the findings of axe, and elements wider than the screen. */
export async function faultsOf(page: Page): Promise<string[]> {
  const wide = (await page.evaluate(overflowingElements)) as string[];
  return [...wide, ...(await axeFindings(page))];
}

/** Returns the findings of axe in the visible page. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
