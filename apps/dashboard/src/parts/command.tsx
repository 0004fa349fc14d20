import { strings } from '../words/strings.ts'
import './command.css'
import { CopyButton } from './copy-button.tsx'

/** A line to copy into a terminal or a file. */
export function Command({ text }: { readonly text: string }) {
  return (
    <p class="command">
      <code>{text}</code>
      <CopyButton name={strings.copy} text={() => text} />
    </p>
  )
}
