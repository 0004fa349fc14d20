import { effect, signal } from '@preact/signals'
import { unitsText, wholeUnitsText } from '@svc/views/format'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { Banners } from './parts/banners.tsx'
import { Patterns } from './parts/bars.tsx'
import { Header, RefreshOutcome } from './parts/header.tsx'
import { followKeys, Shortcuts } from './parts/shortcuts.tsx'
import { applyTheme } from './state/display-state.ts'
import { followMonitor, health, status } from './state/live-data.ts'
import { route } from './state/route.ts'
import { Accounts } from './views/accounts.tsx'
import { HealthView } from './views/health.tsx'
import { Overview } from './views/overview.tsx'
import { Resets } from './views/resets.tsx'
import { Stats } from './views/stats.tsx'
import { strings } from './words/strings.ts'

const views = {
  overview: Overview,
  accounts: Accounts,
  resets: Resets,
  stats: Stats,
  health: HealthView,
} as const
/** How long the page waits for its first numbers before it shows itself without. */
const FIRST_MS = 500

/** The page is drawn in two goes, so that slow machines answer in between: its frame, then what stands in it. */
const isFramed = signal(false)

function Page() {
  const { view } = route.value
  const View = views[view]
  useEffect(() => closeMenusOnClick(), [])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {strings.skip}
      </button>
      <Patterns />
      <Header />
      <main id="main" class="wrap" tabIndex={-1}>
        <Banners />
        <RefreshOutcome />
        <div class={`view view-${view}`} id="view" role="tabpanel" aria-labelledby={`tab-${view}`}>
          {isFramed.value && <View />}
        </div>
      </main>
      {isFramed.value && <Footer />}
      <Shortcuts />
    </>
  )
}

function Footer() {
  return (
    <footer class="wrap foot">
      <p>{status.value?.summary.activityLine}</p>
      <p>{strings.plusNote}</p>
      <p>{strings.times(status.value?.displayTimezoneLabel ?? '')}</p>
    </footer>
  )
}

/** A press anywhere else closes an open menu. */
function closeMenusOnClick(): () => void {
  const onClick = ({ target }: MouseEvent) => {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      if (target instanceof Node && !menu.contains(target)) menu.removeAttribute('open')
    }
  }
  document.addEventListener('click', onClick)
  return () => document.removeEventListener('click', onClick)
}

effect(() => {
  const fiveHour = status.value?.summary.fiveHour
  const parts =
    fiveHour === undefined || fiveHour.trackedUnits === 0
      ? []
      : [
          `${unitsText(fiveHour.knownUnits)} ${strings.ofTracked(wholeUnitsText(fiveHour.trackedUnits))}`,
        ]
  if ((health.value?.actionCount ?? 0) > 0) parts.push(health.value?.pill ?? '')
  document.title = parts.length === 0 ? strings.product : `${parts.join(', ')} · ${strings.product}`
})

applyTheme()
followKeys()
const root = document.getElementById('app')
// Drawn first with numbers, nothing moves when they come.
await Promise.race([followMonitor(), new Promise((resolve) => setTimeout(resolve, FIRST_MS))])
if (root !== null) render(<Page />, root)
await new Promise((resolve) => setTimeout(resolve))
isFramed.value = true
