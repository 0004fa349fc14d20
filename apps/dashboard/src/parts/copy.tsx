import './command.css'
import { useEffect, useState } from 'preact/hooks'
import { strings } from '../words/strings.ts'

/** Time for which the button shows the result, in milliseconds. */
const COPIED_MS = 2_000

/** A button that copies a text to the clipboard and reports the outcome. `name` names the copied content. */
export function CopyButton({ name, text }: { readonly name: string; readonly text: () => string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null)
  useEffect(() => {
    if (outcome === null) return
    const timer = setTimeout(() => setOutcome(null), COPIED_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  return (
    <button
      type="button"
      class="button copy"
      onClick={() =>
        void copyText(text()).then((isCopied) => setOutcome(isCopied ? 'copied' : 'refused'))
      }
    >
      <span aria-live="polite">{outcome === null ? name : strings.copyOutcomes[outcome]}</span>
    </button>
  )
}

/** Copies a text to the clipboard; false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // A page loaded over plain HTTP from another machine has no clipboard.
    return copyFromField(text)
  }
}

function copyFromField(text: string): boolean {
  const field = document.createElement('textarea')
  const focused = document.activeElement as HTMLElement | null
  field.value = text
  field.className = 'sr'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  focused?.focus()
  return isCopied
}

/** A line to copy into a terminal or a file. */
export function Command({ text }: { readonly text: string }) {
  return (
    <p class="command">
      <code>{text}</code>
      <CopyButton name={strings.copy} text={() => text} />
    </p>
  )
}
