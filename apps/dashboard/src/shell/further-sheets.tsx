import './sheets.css'
import { Command } from '../parts/copy.tsx'
import { Readers } from '../parts/readers.tsx'
import { Pair } from '../parts/rows.tsx'
import { Coded } from '../parts/text.tsx'
import { healthWords as words } from '../words/health-words.ts'
import { glossary } from '../words/sheet-words.ts'
import { strings } from '../words/strings.ts'
import { Sheet } from './sheet.tsx'

/** The sheet of the page's terms, each with its explanation. */
export function Glossary({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title={strings.glossary} onClose={onClose}>
      <dl class="words">
        {Object.values(glossary).map(({ word, meaning }) => (
          <Pair key={word} name={word}>
            {meaning}
          </Pair>
        ))}
      </dl>
    </Sheet>
  )
}

/** The sheet about the plugin with which a proxy routes by the ranking, and about its users. */
export function Routing({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title={strings.routing} onClose={onClose}>
      <p>
        <Coded text={words.routing} />
      </p>
      <Command text="svc-quota-monitor init proxy-plugin" />
      <Readers />
    </Sheet>
  )
}
