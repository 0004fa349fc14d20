import { useState } from 'preact/hooks'
import { strings } from '../words/strings.ts'

/** Copies a text; where the browser does not allow that, it selects the text before the button. */
export function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (button: HTMLElement) => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      const shownText = button.previousElementSibling
      if (shownText !== null) getSelection()?.selectAllChildren(shownText)
    }
  }
  return (
    <button
      type="button"
      class="button"
      aria-label={`${strings.copy} ${text}`}
      onClick={(event) => void copy(event.currentTarget)}
    >
      <span aria-live="polite">{isCopied ? strings.copied : strings.copy}</span>
    </button>
  )
}
