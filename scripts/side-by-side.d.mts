/** See `side-by-side.mjs`. */
export function runSideBySide(
  steps: readonly { readonly name: string; readonly command: string; readonly remedy: string }[],
  atOnce: number,
  print: (text: string) => void,
): Promise<string[]>;
