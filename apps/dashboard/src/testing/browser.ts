import { NOW } from '@svc/core/testing'
import {
  SmallDocument,
  SmallElement,
  type SmallEvent,
  SmallNode,
  SmallTarget,
} from './small-document.ts'

/**
 * A browser with a small document and a fixed time. A test imports this file before anything else, because the page reads its address and
 * its storage when it is loaded.
 */

class Storage {
  readonly items = new Map<string, string>()
  getItem = (key: string): string | null => this.items.get(key) ?? null
  setItem = (key: string, value: string): void => void this.items.set(key, value)
  removeItem = (key: string): void => void this.items.delete(key)
}

let nowMs: number = NOW
Date.now = () => nowMs

/** Sets the time of this browser. */
export function setNow(ms: number): void {
  nowMs = ms
}

export const smallDocument: SmallDocument = new SmallDocument()
export const smallWindow: SmallTarget = new SmallTarget()
export const storage: Storage = new Storage()
/** Media queries that match. */
export const media: Set<string> = new Set()
const mediaListeners = new Map<string, (event: { readonly matches: boolean }) => void>()
/** Classes that the styles display over the whole page. */
export const covering: Set<string> = new Set()
/** Scroll positions set by the page itself. */
export const scrolls: (readonly [x: number, y: number])[] = []

/** Whether no text of the page is selected. */
export const marked: { isEmpty: boolean } = { isEmpty: true }

interface HistoryEntry {
  readonly hash: string
  readonly state: unknown
}

/** The history of this tab: visited entries, and the index of the current one. */
const entries: HistoryEntry[] = [{ hash: '', state: null }]
let shownEntry = 0
const hearNewHash = () =>
  smallWindow.hear({ type: 'hashchange', target: null, defaultPrevented: false })

const location = {
  origin: 'http://127.0.0.1:8788',
  get hash() {
    return entries[shownEntry]?.hash ?? ''
  },
  set hash(next: string) {
    const wanted = next.startsWith('#') || next === '' ? next : `#${next}`
    if (wanted === this.hash) return
    shownEntry += 1
    entries.splice(shownEntry, entries.length, { hash: wanted, state: null })
    hearNewHash()
  },
  reloads: 0,
  reload() {
    this.reloads += 1
  },
}

Object.assign(globalThis, {
  document: smallDocument,
  location,
  history: {
    get length() {
      return entries.length
    },
    get state() {
      return entries[shownEntry]?.state ?? null
    },
    replaceState(state: unknown, _title: string, href: string) {
      entries[shownEntry] = { hash: href, state }
    },
    go(steps: number) {
      const before = location.hash
      shownEntry = Math.max(0, Math.min(entries.length - 1, shownEntry + steps))
      if (location.hash !== before) hearNewHash()
    },
  },
  localStorage: storage,
  sessionStorage: new Storage(),
  Node: SmallNode,
  Element: SmallElement,
  addEventListener: smallWindow.addEventListener.bind(smallWindow),
  removeEventListener: smallWindow.removeEventListener.bind(smallWindow),
  matchMedia: (query: string) => ({
    matches: media.has(query),
    addEventListener: (_: string, listener: (event: { readonly matches: boolean }) => void) =>
      mediaListeners.set(query, listener),
  }),
  getComputedStyle: ({ style, className }: SmallElement) => ({
    ...style,
    position: covering.has(className) ? 'fixed' : 'static',
    getPropertyValue: () => '',
  }),
  ResizeObserver: class {
    observe = (): void => undefined
    disconnect = (): void => undefined
  },
  getSelection: () => ({ isCollapsed: marked.isEmpty }),
  scrollY: 0,
  scrollTo: (x: number, y: number) => void scrolls.push([x, y]),
  innerHeight: 800,
  innerWidth: 1280,
})

/** Makes a media query match, or stop matching. */
export function setMedia(query: string, matches: boolean): void {
  if (matches) media.add(query)
  else media.delete(query)
  mediaListeners.get(query)?.({ matches })
}

/** Dispatches an event to an element and its ancestors; true if the page prevented the browser's default action. */
export function dispatch(
  target: SmallNode | null,
  type: string,
  details: Readonly<Record<string, unknown>> = {},
): boolean {
  let isPrevented = false
  const event: SmallEvent = {
    type,
    target,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    ...details,
    get defaultPrevented() {
      return isPrevented
    },
    preventDefault() {
      isPrevented = true
    },
  }
  for (let node = target; node !== null; node = node.parentNode) node.hear(event)
  smallDocument.hear(event)
  smallWindow.hear(event)
  return isPrevented
}
