import { effect } from '@preact/signals'
import {
  chosenProvider,
  isNarrow,
  kiosk,
  rotateSeconds,
  WALL_LINES,
  wallLines,
} from '../state/display-state.ts'
import { EVERY_PROVIDER } from '../state/live-data.ts'
import { allPools } from '../state/providers.ts'
import { goTo, route, viewHref } from '../state/route.ts'
import { findView, views } from '../views/view-table.ts'
import './kiosk.css'

/** Screen size for which the views are designed, in CSS pixels; a larger screen enlarges them. */
const DRAWN = { width: 1280, height: 720 }
/** Milliseconds after a view is shown at which its size is adjusted: at once, once most of it is drawn, and once its chart is drawn. */
const DRAWN_AFTER_MS = [0, 500, 2_000]
const FITTING_MS = 5_000
/** Time that each page of a long view is shown. With rotating views, the first page is shown for the view's time instead. */
const PAGE_SECONDS = 10
/** Height that consecutive pages of a view share, in pixels of the designed screen, so that a row cut at the bottom is shown again. */
const SHARED_HEIGHT = 48

/**
 * Shows the page for a wall display: no controls, as large as fits, screen kept awake, long views page by page, views rotating if `mode`
 * says so. Shows all providers unless one was chosen, or the address named one. The returned function ends it.
 */
export function runKiosk(mode: string, namesProvider = false): () => void {
  const isFree = chosenProvider.peek() === '' && !namesProvider
  const stopChoosing = effect(() => {
    if (isFree && allPools.value.length > 1) chosenProvider.value = EVERY_PROVIDER
  })
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
  const stopTurning = turnPages(rotateSeconds(mode), fitNewView)
  const letSleep = keepAwake()
  const fitting = setInterval(fit, FITTING_MS)
  fit()
  fitNewView()
  return () => {
    isEnded = true
    clearInterval(fitting)
    stopChoosing()
    stopTurning()
    letSleep()
    removeEventListener('resize', fit)
    removeEventListener('keydown', onKeyDown)
    delete document.documentElement.dataset.kiosk
  }
}

/**
 * Scrolls page by page through a view that is higher than the screen, then starts again, with the next view if `viewSeconds` is set. The returned
 * function ends it.
 */
function turnPages(viewSeconds: number | null, onNewView: () => void): () => void {
  const root = document.documentElement
  let timer: ReturnType<typeof setTimeout>
  const turnAfter = (seconds: number) => {
    timer = setTimeout(turn, seconds * 1000)
  }
  const turn = () => {
    // Fractions of a pixel are no further page.
    if (scrollY + innerHeight < root.scrollHeight - 1) {
      scrollBy(0, pageHeight())
      return turnAfter(PAGE_SECONDS)
    }
    scrollTo(0, 0)
    if (root.dataset.kiosk === 'numbers') {
      root.dataset.kiosk = 'lists'
      return turnAfter(PAGE_SECONDS)
    }
    if (root.dataset.kiosk === 'lists') root.dataset.kiosk = 'numbers'
    if (viewSeconds !== null) {
      const next = views[(views.indexOf(findView(route.value.view)) + 1) % views.length] ?? views[0]
      goTo(viewHref(next.id), { replace: true })
      onNewView()
    }
    turnAfter(viewSeconds ?? PAGE_SECONDS)
  }
  turnAfter(viewSeconds ?? PAGE_SECONDS)
  return () => clearTimeout(timer)
}

/** Distance to the next page, in pixels: the window without its fixed heads and the shared height. */
function pageHeight(): number {
  const heads = [...document.querySelectorAll('.top, .accounts thead')]
  const headsHeight = heads.reduce((sum, head) => sum + head.getBoundingClientRect().height, 0)
  return innerHeight - headsHeight - SHARED_HEIGHT * fitScale(innerWidth, innerHeight)
}

/** Scales the page to the screen. If the overview is then too high, omits its charts; if that is not enough, its numbers and its lists take turns. */
function fitScreen(): void {
  const root = document.documentElement
  const before = root.dataset.kiosk
  const isTooHigh = () => root.scrollHeight > innerHeight
  root.style.setProperty('--scale', String(fitScale(innerWidth, innerHeight)))
  root.dataset.kiosk = ''
  if (isTooHigh()) root.dataset.kiosk = 'fewer'
  if (isTooHigh() && !isNarrow.value && document.querySelector('.three') !== null)
    root.dataset.kiosk = before === 'lists' ? 'lists' : 'numbers'
  fitActions()
}

/** In a single column, shows as many lines of actions as end on the first page. If not even an action and the count of the rest do, their block begins the next page. */
function fitActions(): void {
  const list = document.querySelector('.need:not(.three > *) .needs')
  const block = list?.closest<HTMLElement>('.need')
  if (list?.firstElementChild == null || block == null) return
  block.style.removeProperty('--push')
  const lineHeight = list.firstElementChild.getBoundingClientRect().height
  const roomBelow = (element: Element) =>
    innerHeight - scrollY - element.getBoundingClientRect().top
  const room = Math.floor(roomBelow(list) / lineHeight)
  const hasRoom = room >= Math.min(2, list.children.length)
  wallLines.value = hasRoom ? Math.max(2, Math.min(room, WALL_LINES)) : WALL_LINES
  if (!hasRoom) block.style.setProperty('--push', `${Math.max(0, roomBelow(block))}px`)
}

/** Scale of the page on a screen of this size in CSS pixels. */
export function fitScale(width: number, height: number): number {
  return Math.max(1, Math.min(width / DRAWN.width, height / DRAWN.height))
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
