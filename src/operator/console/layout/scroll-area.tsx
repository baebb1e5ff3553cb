import type { ComponentChildren } from 'preact';

/** What may be wider than a phone: it can be scrolled by keyboard, too. */
export function ScrollArea({
  label,
  children,
}: {
  /** Names it for those who do not see it. */
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
