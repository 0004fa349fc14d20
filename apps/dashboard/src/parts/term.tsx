import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { type TermId, terms } from '../words/terms.ts'

interface TermProps {
  readonly id: TermId
  /** Text to show instead of the word from `terms`. */
  readonly children?: ComponentChildren
}

/** Width of the box with the meaning, in pixels. The box opens the other way if it would not fit into the window. */
const MEANING_WIDTH = 300

/** A word whose meaning shows while it has the focus, after a tap, or under the pointer. */
export function Term({ id, children }: TermProps) {
  const [isOpen, setOpen] = useState(false)
  const [isAtEnd, setAtEnd] = useState(false)
  const meaningId = useId()
  const { word, meaning } = terms[id]
  const open = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    setAtEnd(currentTarget.getBoundingClientRect().left > innerWidth - MEANING_WIDTH)
    setOpen(true)
  }
  const close = () => setOpen(false)
  return (
    <span class="term">
      <button
        type="button"
        aria-describedby={isOpen ? meaningId : undefined}
        onFocus={open}
        onClick={open}
        onMouseEnter={open}
        onBlur={close}
        onMouseLeave={close}
        onKeyDown={({ key }) => {
          if (key === 'Escape') close()
        }}
      >
        {children ?? word}
      </button>
      {isOpen && (
        <span role="tooltip" id={meaningId} class={isAtEnd ? 'at-end' : undefined}>
          {meaning}
        </span>
      )}
    </span>
  )
}
