import { glossary } from '../words/glossary.ts'
import { strings } from '../words/strings.ts'
import { Sheet } from './sheet.tsx'

/** The sheet of the page's terms, each with its explanation. */
export function Glossary({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title={strings.glossary} onClose={onClose}>
      <dl class="words">
        {Object.values(glossary).map(({ word, meaning }) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  )
}
