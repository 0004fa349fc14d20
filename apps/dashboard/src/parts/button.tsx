import type { Signal } from '@preact/signals'
import type { ButtonHTMLAttributes } from 'preact'
import { askAllNow } from '../state/ask-regularly.ts'
import { pollNow } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

/** A button with words. */
export function Button({ children, ...attributes }: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" class="button" {...attributes}>
      {children}
    </button>
  )
}

/** A handler that gives a signal this value. */
export const setter =
  <Value,>(signal: Signal<Value>, value: NoInfer<Value>) =>
  () => {
    signal.value = value
  }

/** A button that polls the monitor at once, shown beside messages about a missing answer. */
export function TryNow() {
  return (
    <Button
      onClick={() => {
        pollNow()
        askAllNow()
      }}
    >
      {strings.tryNow}
    </Button>
  )
}
