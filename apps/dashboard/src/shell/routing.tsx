import { Coded } from '../parts/coded.tsx'
import { Command } from '../parts/command.tsx'
import { Readers } from '../parts/readers.tsx'
import { healthWords as words } from '../words/health-words.ts'
import { strings } from '../words/strings.ts'
import { Sheet } from './sheet.tsx'

/** The sheet on the plugin that lets a proxy route by the ranking, and on who uses it. */
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
