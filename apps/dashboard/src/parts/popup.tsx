import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { Icon, type IconName } from './icon.tsx'

/** A button with an icon that opens a box below it. Escape, a press outside, or moving the focus outside closes the box. */
export function Popup({
  name,
  icon,
  isSmall = false,
  children,
}: {
  readonly name: string
  readonly icon: IconName
  /** True if the button is within a line of text. */
  readonly isSmall?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <details
      class="menu"
      onKeyDown={closeOnEscape}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget))
          currentTarget.open = false
      }}
    >
      <summary class={isSmall ? 'hint' : 'button square'} aria-label={name} title={name}>
        <Icon name={icon} />
      </summary>
      <div class="popup">{children}</div>
    </details>
  )
}

/** Closes a box that has the focus. */
export function closeOnEscape(event: TargetedKeyboardEvent<HTMLDetailsElement>): void {
  if (event.key !== 'Escape' || !event.currentTarget.open) return
  event.currentTarget.open = false
  event.currentTarget.querySelector('summary')?.focus()
  // The key has closed this box and closes nothing behind it.
  event.stopPropagation()
}

/** Menu item that closes its box and runs the action. The focus goes to the button of the box, where a sheet that the action opens gives it back. */
export function PopupItem({
  run,
  children,
}: {
  readonly run: () => void
  readonly children: ComponentChildren
}) {
  return (
    <button
      type="button"
      onClick={(event) => {
        const box = event.currentTarget.closest('details')
        box?.removeAttribute('open')
        box?.querySelector('summary')?.focus()
        run()
      }}
    >
      {children}
    </button>
  )
}
