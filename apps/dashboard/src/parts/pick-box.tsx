/** A checkbox that picks its row. `isReached` is false if the table's keys pick rows, so that Tab skips the box. */
export function PickBox({
  name,
  isPicked,
  isPartly = false,
  isReached = true,
  onPick,
}: {
  readonly name: string
  readonly isPicked: boolean
  /** True if some but not all rows are picked. */
  readonly isPartly?: boolean
  readonly isReached?: boolean
  readonly onPick: (event: { readonly shiftKey: boolean }) => void
}) {
  return (
    <label class="pick-box">
      <input
        type="checkbox"
        aria-label={name}
        tabIndex={isReached ? undefined : -1}
        checked={isPicked}
        indeterminate={isPartly}
        onClick={(event) => {
          onPick(event)
          // The browser toggles the box even if the pick did not change.
          event.currentTarget.checked = isPicked
        }}
      />
    </label>
  )
}
