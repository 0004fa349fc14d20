import { NOW } from '@svc/core/testing'
import { Window } from 'happy-dom'

/**
 * A browser without layout, at a time that stands still. A test imports this file before anything else: the page looks at its address and at
 * its storage when it is loaded.
 */

let nowMs: number = NOW
Date.now = () => nowMs

/** Sets the time of this browser. */
export function setNow(ms: number): void {
  nowMs = ms
}

const window = new Window()
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
const hearNewHash = () => window.dispatchEvent(new window.Event('hashchange'))

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
  document: window.document,
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
  localStorage: window.localStorage,
  sessionStorage: window.sessionStorage,
  Storage: window.Storage,
  Node: window.Node,
  Element: window.Element,
  HTMLElement: window.HTMLElement,
  HTMLLinkElement: window.HTMLLinkElement,
  DOMRect: window.DOMRect,
  addEventListener: window.addEventListener.bind(window),
  removeEventListener: window.removeEventListener.bind(window),
  matchMedia: (query: string) => ({
    matches: media.has(query),
    addEventListener: (_: string, listener: (event: { readonly matches: boolean }) => void) =>
      mediaListeners.set(query, listener),
  }),
  getComputedStyle: ({ style, className }: HTMLElement) => ({
    ...style,
    position: covering.has(className) ? 'fixed' : 'static',
    getPropertyValue: () => '',
  }),
  MutationObserver: window.MutationObserver,
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

Object.defineProperties(window.document, {
  hidden: { value: false, writable: true },
  execCommand: { value: () => false, writable: true },
})
Object.defineProperties(window.HTMLElement.prototype, {
  clientWidth: { value: 800, writable: true },
  offsetWidth: { value: 800, writable: true },
  offsetHeight: { value: 0, writable: true },
})
window.Element.prototype.getBoundingClientRect = () => new window.DOMRect(0, 0, 800, 0)

/** Lets something happen to an element, or to the document; says whether the page kept the browser from its own answer. */
export function dispatch(
  target: EventTarget | null,
  type: string,
  details: Readonly<Record<string, unknown>> = {},
): boolean {
  const event = new window.Event(type, { bubbles: true, cancelable: true })
  Object.assign(event, details)
  return !(target ?? document).dispatchEvent(event as unknown as Event)
}
