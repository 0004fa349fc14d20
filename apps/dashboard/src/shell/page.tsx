import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Banners } from '../parts/banners.tsx'
import { Patterns } from '../parts/bars.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { kiosk } from '../state/display-state.ts'
import { isSilent, status } from '../state/live-data.ts'
import { route } from '../state/route.ts'
import { Stats } from '../views/stats.tsx'
import { viewOf } from '../views/view-table.ts'
import { strings } from '../words/strings.ts'
import { Announcer, followTrouble } from './announcer.tsx'
import { Header } from './header.tsx'
import { LazySheets } from './lazy-sheets.tsx'
import { LeftAccount } from './left-account.tsx'
import { PrintHead } from './print-head.tsx'
import { followSaves } from './save-masked.ts'
import { Shortcuts } from './shortcuts.tsx'
import { ZoneNote } from './zone-note.tsx'

/** The page is drawn in two goes, so that slow machines answer in between: its frame, then what stands in it. */
export const isFramed: Signal<boolean> = signal(false)

export function Page() {
  const { id, title, View } = viewOf(route.value.view)
  useEffect(() => closeMenusOnClick(), [])
  useEffect(() => followTrouble(), [])
  useEffect(() => followSaves(), [])
  return (
    <>
      <button
        type="button"
        class="skip"
        inert={isPageCovered.value}
        onClick={() => document.getElementById('main')?.focus()}
      >
        {strings.skip}
      </button>
      <Patterns />
      <Header />
      <main id="main" class="wrap" tabIndex={-1}>
        <PrintHead />
        <DemoMark />
        <div inert={isPageCovered.value}>{kiosk.value === '' && <Banners />}</div>
        <LeftAccount />
        <ZoneNote />
        <Announcer />
        <div
          class={`view view-${id}${isSilent.value ? ' silent' : ''}`}
          id="view"
          role="tabpanel"
          aria-labelledby={`tab-${id}`}
          tabIndex={-1}
        >
          {isFramed.value && <View title={title} />}
        </div>
      </main>
      {isFramed.value && <Footer />}
      <Shortcuts />
      <LazySheets />
    </>
  )
}

/** Says that nothing here is real, and how to see what is. */
function DemoMark() {
  if (status.value?.demo !== true) return null
  return (
    <details class="demo" inert={isPageCovered.value}>
      <summary>
        {strings.demo}
        <span class="demo-connect">{strings.demoConnect}</span>
      </summary>
      <div class="popup">
        <p>{strings.demoText}</p>
        {strings.demoCommands.map((command) => (
          <code key={command}>{command}</code>
        ))}
      </div>
    </details>
  )
}

function Footer() {
  // Stats has sums of its own, which begin where its range begins.
  const hasSums = viewOf(route.value.view).View === Stats
  return (
    <footer class="wrap foot" inert={isPageCovered.value}>
      {!hasSums && <p>{status.value?.summary.activityLine}</p>}
      <p>{strings.plusNote}</p>
      <p>{strings.times(status.value?.displayTimezoneLabel ?? '')}</p>
    </footer>
  )
}

/** A press anywhere else closes an open menu. */
function closeMenusOnClick(): () => void {
  const onClick = ({ target }: MouseEvent) => {
    for (const menu of document.querySelectorAll('details.menu[open], details.demo[open]')) {
      if (target instanceof Node && !menu.contains(target)) menu.removeAttribute('open')
    }
  }
  document.addEventListener('click', onClick)
  return () => document.removeEventListener('click', onClick)
}
