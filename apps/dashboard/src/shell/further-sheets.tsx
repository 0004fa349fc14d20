import './sheets.css'
import { Command } from '../parts/copy.tsx'
import { Readers } from '../parts/readers.tsx'
import { Pair } from '../parts/rows.tsx'
import { Coded } from '../parts/text.tsx'
import { singleKeys } from '../state/display-state.ts'
import { views } from '../views/view-table.ts'
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

/** Range of the views' keys, such as `1 – 5`. */
const viewKeys = `${views[0].key} – ${views.findLast(({ key }) => key)?.key}`

/** The sheet of the page's keys, with the switch of those that are one letter. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title={strings.shortcuts} onClose={onClose}>
      <dl class="pairs">
        {[[viewKeys, strings.viewsLabel] as const, ...strings.keys].map(([keys, effect]) => (
          <Pair key={keys} name={effect}>
            <kbd>{keys}</kbd>
          </Pair>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => {
            singleKeys.value = event.currentTarget.checked
          }}
        />
        {strings.singleKeys}
      </label>
    </Sheet>
  )
}
