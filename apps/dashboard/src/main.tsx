import { computed, effect } from '@preact/signals'
import { render } from 'preact'
import { loadViewsAhead } from './parts/lazy-view.tsx'
import { faviconHref, pageTitle, showFavicon } from './shell/browser-tab.ts'
import { isFramed, Page } from './shell/page.tsx'
import { followKeys } from './shell/shortcuts.ts'
import { applyTheme, kiosk } from './state/display-state.ts'
import { followMonitor } from './state/live-data.ts'
import { loadCode } from './state/load-code.ts'
import { repeatPressed } from './state/refresh.ts'

/** Longest wait for the first numbers; after it the page is drawn without them. */
const FIRST_MS = 500

/** Whether the address named a provider; that of the home provider leaves the address. */
const namesProvider = location.hash.includes('provider=')
effect(() => {
  document.title = pageTitle()
})
const favicon = computed(faviconHref)
effect(() => showFavicon(favicon.value))
effect(() => {
  const mode = kiosk.value
  if (mode === '') return
  const running = loadCode(() => import('./shell/kiosk.ts')).then(({ runKiosk }) =>
    runKiosk(mode, namesProvider),
  )
  return () => void running.then((stop) => stop())
})
applyTheme()
followKeys()
/** Delay between the first view and loading the other views. */
const AHEAD_MS = 1_000
const root = document.getElementById('app')
// Draws the page together with its first numbers, so that nothing moves when they arrive.
await Promise.race([followMonitor(), new Promise((resolve) => setTimeout(resolve, FIRST_MS))])
if (root !== null) render(<Page />, root)
await new Promise((resolve) => setTimeout(resolve))
isFramed.value = true
setTimeout(() => {
  void loadViewsAhead()
  void loadCode(() => import('./shell/later.css'))
  // Without it the page polls.
  void loadCode(() => import('./state/event-stream.ts')).then(({ followEvents }) => followEvents())
}, AHEAD_MS)
repeatPressed()
