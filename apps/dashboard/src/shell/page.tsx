import { effect, type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AnswerLine } from '../parts/answer-line.tsx'
import { Patterns } from '../parts/bars.tsx'
import { Button, setter } from '../parts/button.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { Banners } from '../parts/freshness.tsx'
import { Icon } from '../parts/icon.tsx'
import { useLasting } from '../parts/lasting.ts'
import { closeOnEscape } from '../parts/popup.tsx'
import { shown } from '../parts/text.tsx'
import { dismissedZones, isNarrow, kiosk, privacy } from '../state/display-state.ts'
import {
  browserMs,
  calmMs,
  health,
  isSilent,
  isSwitching,
  serverMs,
  status,
  zone,
} from '../state/live-data.ts'
import { allPools, isPoolWide, scopeTitle, shownPool } from '../state/providers.ts'
import { route } from '../state/route.ts'
import { LazyConnect } from '../views/lazy-parts.ts'
import { findView } from '../views/view-table.ts'
import { providerWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText, createZone, durationText } from '../words/times.ts'
import { Header } from './header.tsx'
import { LazySheets } from './lazy-sheets.tsx'
import { LeftAccount } from './left-account.tsx'
import { ProviderSwitch } from './pool-switches.tsx'

/** Time within which returning trouble is not announced again. */
const SAME_TROUBLE_MS = 3_600_000
/** Maximum number of titles that are read out; the rest are only counted. */
const NAMED_MAX = 3

/** Time at which each trouble was last seen, by id. Null before the first answer, whose trouble is read together with the page. */
let lastSeenMs: Map<string, number> | null = null
const announced = signal<readonly string[]>([])

/** Starts watching for new trouble. The returned function stops it. */
export function followTrouble(): () => void {
  lastSeenMs = null
  announced.value = []
  return effect(() => {
    const now = health.value
    if (now === null) return
    const nowMs = browserMs.peek()
    const seen = lastSeenMs ?? new Map<string, number>()
    const fresh = now.actions.filter(({ id = '' }) => {
      const before = seen.get(id)
      return before === undefined || nowMs - before > SAME_TROUBLE_MS
    })
    for (const { id = '' } of now.actions) seen.set(id, nowMs)
    if (lastSeenMs !== null && fresh.length > 0) announced.value = fresh.map(({ title }) => title)
    lastSeenMs = seen
  })
}

/** Announces to screen readers trouble that is new since the page was opened. */
export function Announcer() {
  const titles = announced.value.map(shown)
  return (
    <p class="sr" role="status">
      {titles.length > 0 &&
        strings.newTrouble(titles.slice(0, NAMED_MAX), titles.length - NAMED_MAX)}
    </p>
  )
}

/** True once the frame is drawn. The page is drawn in two steps, frame then content, so that slow machines respond in between. */
export const isFramed: Signal<boolean> = signal(false)

export function Page() {
  const { id, title, View } = findView(route.value.view)
  useEffect(() => closeMenusOnClick(), [])
  useEffect(() => followTrouble(), [])
  useEffect(() => followSaves(), [])
  useEffect(() => settle(), [id])
  useEffect(() => keepFocusInView(), [])
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
      <Main>
        <PrintHead />
        <DemoMark />
        <div inert={isPageCovered.value}>{kiosk.value === '' && <Banners />}</div>
        <LeftAccount />
        <ZoneNote />
        <Announcer />
        {isNarrow.value && kiosk.value === '' && <ProviderSwitch />}
        <AnswerLine />
        <div
          class={`view view-${id}${isSilent.value ? ' silent' : ''}`}
          id="view"
          role="tabpanel"
          aria-labelledby={`tab-${id}`}
          tabIndex={-1}
        >
          {isFramed.value && <View title={title} />}
        </div>
      </Main>
      {isFramed.value && <Footer />}
      <LazySheets />
    </>
  )
}

/** Part of the page that a choice of proxy or provider changes. A component of its own, so that the page is not drawn again while the choice loads. */
function Main({ children }: { readonly children: ComponentChildren }) {
  const isBusy = isSwitching.value
  const isDimmed = useLasting(isBusy)
  return (
    <main id="main" class={isDimmed ? 'wrap dimmed' : 'wrap'} aria-busy={isBusy} tabIndex={-1}>
      {children}
    </main>
  )
}

/** Delay after which a view counts as drawn, in milliseconds; rows drawn later are new. */
const SETTLED_MS = 1_000

/** Marks the view once its first rows are drawn. The returned function takes the mark away. */
function settle(): () => void {
  const view = document.getElementById('view')
  const timer = setTimeout(() => view?.setAttribute('data-settled', ''), SETTLED_MS)
  return () => {
    clearTimeout(timer)
    view?.removeAttribute('data-settled')
  }
}

/** Gives the focus to the view when what had it there is gone, so that the next Tab leads into the view. The returned function ends that. */
function keepFocusInView(): (() => void) | undefined {
  const view = document.getElementById('view')
  if (view === null) return
  let focused: Node | null = null
  view.addEventListener('focusin', ({ target }) => {
    focused = target as Node
  })
  const changes = new MutationObserver(() => {
    const isGone = focused !== null && !view.contains(focused)
    if (isGone && document.activeElement === document.body) view.focus({ preventScroll: true })
  })
  changes.observe(view, { childList: true, subtree: true })
  return () => changes.disconnect()
}

/** Notice that the data is a demo, and how to see real data. */
function DemoMark() {
  const [isOpen, setOpen] = useState(false)
  if (status.value?.demo !== true) return null
  return (
    <details
      class="demo"
      inert={isPageCovered.value}
      onKeyDown={closeOnEscape}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {strings.demo}
        <span class="demo-connect">{strings.demoConnect}</span>
      </summary>
      <div class="popup">{isOpen && <LazyConnect title="" />}</div>
    </details>
  )
}

function Footer() {
  // Stats has its own sums, which begin at the start of its range.
  const hasSums = route.value.view === 'stats'
  const note = isPoolWide.value ? undefined : strings.unitNotes[shownPool.value?.unit ?? '']
  return (
    <footer class="wrap foot" inert={isPageCovered.value}>
      {!hasSums && <p>{activityText()}</p>}
      {note !== undefined && <p>{note}</p>}
      <p>{strings.times(status.value?.displayTimezoneLabel ?? '')}</p>
    </footer>
  )
}

/** Usage of the last day, which is that of all providers. */
function activityText(): string {
  const line = status.value?.summary.activityLine ?? ''
  return allPools.value.length < 2 ? line : strings.reading(providerWords.all, line)
}

/** Closes an open menu on a press anywhere else. The returned function ends it. */
function closeMenusOnClick(): () => void {
  const onClick = ({ target }: MouseEvent) => {
    for (const menu of document.querySelectorAll('details.menu[open], details.demo[open]')) {
      if (target instanceof Node && !menu.contains(target)) menu.removeAttribute('open')
    }
  }
  document.addEventListener('click', onClick)
  return () => document.removeEventListener('click', onClick)
}

/** Path of a chart's numbers, which name clients, accounts or API keys. */
const USAGE = '/api/v1/stats/series'

/** In privacy mode, saves linked API files without names chosen by people. The returned function ends it. */
export function followSaves(): () => void {
  const onClick = (event: MouseEvent) => {
    if (!privacy.value || !(event.target instanceof Element)) return
    const link = event.target.closest<HTMLAnchorElement>('a[href]')
    const href = link?.getAttribute('href') ?? ''
    if (!href.startsWith(USAGE)) return
    event.preventDefault()
    // Nothing is saved while the monitor does not answer.
    import('./masked-file.ts').then(({ saveMasked }) => saveMasked(href)).catch(() => {})
  }
  document.addEventListener('click', onClick)
  return () => document.removeEventListener('click', onClick)
}

/** Head of a printed page: its subject, its date, the age of its data, and the zone of its times. */
export function PrintHead() {
  const nowMs = serverMs.value
  const sampledAt = status.value?.recommendations.sampledAt ?? null
  const sampledMs = sampledAt === null ? null : Date.parse(sampledAt)
  const subject = [findView(route.value.view).title, scopeTitle.value].filter((part) => part !== '')
  // Paper may be read much later, so its dates include the year, like those of a distant time.
  const moment = (ms: number) => zone.value.momentText(ms, 0)
  return (
    <p class="print-head">
      <b>{strings.printed(strings.listOf(subject), moment(calmMs.value))}</b>
      {strings.gap}
      {sampledMs === null
        ? strings.noData
        : strings.printedData(moment(sampledMs), countingDurationText((nowMs - sampledMs) / 1000))}
      {strings.gap}
      {strings.times(status.value?.displayTimezoneLabel ?? '')}
    </p>
  )
}

/** Note on the time zone of the page if its clock differs from this browser's, shown until dismissed. The service has one zone for all users. */
export function ZoneNote() {
  const { displayTimezone = null, displayTimezoneLabel = '' } = status.value ?? {}
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (displayTimezone === null) return null
  const now = calmMs.value
  const aheadMs = createZone(here).offsetMs(now) - zone.value.offsetMs(now)
  const zones = `${displayTimezone} ${here}`
  // Zones with different names may have the same clock.
  if (aheadMs === 0 || dismissedZones.value === zones) return null
  return (
    <div class="banner zones" role="status">
      <Icon name="clock" />
      <p>
        {strings.otherZone(
          displayTimezoneLabel,
          durationText(Math.abs(aheadMs) / 1000),
          aheadMs > 0,
        )}{' '}
        <code>{`display_timezone = "${here}"`}</code>
      </p>
      <Button onClick={setter(dismissedZones, zones)}>{strings.dismiss}</Button>
    </div>
  )
}
