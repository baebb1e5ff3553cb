/** The element with the focus. */
export interface Focused {
  /** Among the focusable elements; -1 without focus. */
  readonly index: number;
  readonly element: string;
  /** Whether its outline is visible within the window. */
  readonly isSeen: boolean;
}

const all = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')].filter((element) => element.checkVisibility())`;

/** Evaluated in a page: how many elements the keyboard has to reach. */
export const focusable = `${all}.length`;

/** Evaluated in a page: the {@link Focused}. */
export const focused = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const isInWindow = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  return {
    index: ${all}.indexOf(element),
    element: element.tagName.toLowerCase() + (element.className && '.' + element.className),
    isSeen: isInWindow && right - left > 4 && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
  };
})()`;
