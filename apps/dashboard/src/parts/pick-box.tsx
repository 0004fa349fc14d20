/** A box that picks what its row is about. `isReached` is false where the keys of the table pick the row as well. */
export function PickBox({
  name,
  isPicked,
  isPartly = false,
  isReached = true,
  onPick,
}: {
  readonly name: string
  readonly isPicked: boolean
  /** Some of several are picked. */
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
          // Where that changed nothing the browser has turned the box all the same.
          event.currentTarget.checked = isPicked
        }}
      />
    </label>
  )
}
