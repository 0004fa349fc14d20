import { kiosk, rotateSeconds } from '../state/display-state.ts'
import { goTo, route, viewHref } from '../state/route.ts'
import { viewOf, views } from '../views/view-table.ts'
import './kiosk.css'

/** Width that the views are designed for, in CSS pixels; a wider screen enlarges them. */
const DRAWN_WIDTH = 1280
/** Widest layout of the page, in CSS pixels; content that does not fit even then is cut off at the bottom. */
const SMALLEST_WIDTH = 1600
/** Milliseconds after a view is shown at which its size is adjusted: at once, once most of it is drawn, and once its chart is drawn. */
const DRAWN_AFTER_MS = [0, 500, 2_000]
const SCALE_STEP = 0.95
/** Levels of leaving out rows, starting with none, each with the share of the smallest scale that it may shrink to. */
const LEVELS = [
  { rows: '', ofSmallest: 1 },
  { rows: 'fewer', ofSmallest: 1 },
  { rows: 'fewest', ofSmallest: 0.85 },
] as const

/**
 * Shows the page for a wall display: no controls, as large as fits, screen kept awake, views rotating if `mode` says so. The returned function ends it.
 */
export function runKiosk(mode: string): () => void {
  document.documentElement.dataset.kiosk = ''
  let isEnded = false
  const fit = () => {
    if (!isEnded) fitScreen()
  }
  const fitNewView = () => {
    for (const ms of DRAWN_AFTER_MS) setTimeout(fit, ms)
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') kiosk.value = ''
  }
  addEventListener('resize', fit)
  addEventListener('keydown', onKeyDown)
  const stopRotating = rotate(rotateSeconds(mode), fitNewView)
  const letSleep = keepAwake()
  let fittedHeight = 0
  const fitting = setInterval(fit, 30_000)
  // New content may have pushed the bottom out of sight.
  const watching = setInterval(() => {
    const { scrollHeight } = document.documentElement
    if (scrollHeight > innerHeight && scrollHeight !== fittedHeight) fit()
    fittedHeight = document.documentElement.scrollHeight
  }, 1_000)
  fitNewView()
  return () => {
    isEnded = true
    clearInterval(fitting)
    clearInterval(watching)
    stopRotating()
    letSleep()
    removeEventListener('resize', fit)
    removeEventListener('keydown', onKeyDown)
    delete document.documentElement.dataset.kiosk
    setScale(1)
  }
}

function rotate(seconds: number | null, onTurn: () => void): () => void {
  if (seconds === null) return () => undefined
  const timer = setInterval(() => {
    const next = views[(views.indexOf(viewOf(route.value.view)) + 1) % views.length] ?? views[0]
    goTo(viewHref(next.id), { replace: true })
    onTurn()
  }, seconds * 1000)
  return () => clearInterval(timer)
}

/** Shows the page as large as possible, and leaves out rows if the whole page fits at no size. */
function fitScreen(): void {
  const root = document.documentElement
  const fits = () => root.scrollHeight <= innerHeight
  for (const { rows, ofSmallest } of LEVELS) {
    root.dataset.kiosk = rows
    const scale = scaleFor(innerWidth, ofSmallest, (wanted) => {
      setScale(wanted)
      return fits()
    })
    setScale(scale)
    if (fits()) return
  }
}

/** Scale of the page on a screen of this width in CSS pixels; smaller if the page would be too high. */
export function scaleFor(
  width: number,
  ofSmallest: number,
  fits: (scale: number) => boolean,
): number {
  const least = Math.max(1, width / SMALLEST_WIDTH) * ofSmallest
  let scale = Math.max(1, width / DRAWN_WIDTH)
  while (scale > least && !fits(scale)) scale *= SCALE_STEP
  return Math.max(least, scale)
}

function setScale(scale: number): void {
  const app = document.getElementById('app')
  if (app !== null) app.style.setProperty('zoom', String(scale))
}

/** Keeps the screen on while the page is visible, if the browser allows it. */
function keepAwake(): () => void {
  let lock: WakeLockSentinel | null = null
  const ask = () => {
    if (document.hidden || !('wakeLock' in navigator)) return
    navigator.wakeLock.request('screen').then(
      (given) => {
        lock = given
      },
      // Refused, for example on a low battery. The page asks again when it becomes visible.
      () => undefined,
    )
  }
  ask()
  document.addEventListener('visibilitychange', ask)
  return () => {
    document.removeEventListener('visibilitychange', ask)
    void lock?.release()
  }
}
