/** What has the focus, as {@link focused} gives it. */
export interface Focused {
  /** Among what can have it; -1 where nothing has. */
  readonly index: number;
  readonly element: string;
  /** Whether one sees that it has, within the window. */
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
