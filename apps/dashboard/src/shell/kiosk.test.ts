import '../testing/browser.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { kiosk, theme } from '../state/display-state.ts'
import { goTo, route } from '../state/route.ts'
import { dispatch } from '../testing/browser.ts'
import { press } from '../testing/page.ts'
import { views } from '../views/view-table.ts'
import { runKiosk, scaleFor } from './kiosk.ts'

let stop: () => void = () => undefined
const request = vi.fn(async (_kind: string) => ({ release: async () => undefined }))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] })
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: { wakeLock: { request } },
  })
  request.mockClear()
})
afterEach(() => {
  stop()
  stop = () => undefined
  vi.useRealTimers()
  kiosk.value = ''
  theme.value = 'system'
  Object.assign(document, { hidden: false })
  goTo('#overview')
})

/** Starts the kiosk for this address. */
function begin(hash: string): void {
  goTo(hash)
  stop = runKiosk(kiosk.value)
}

describe('a page on a wall', () => {
  it('shows every view in turn, the same in its address otherwise, and adds nothing to the history', () => {
    begin('#overview?theme=dark&kiosk=rotate')
    const before = history.length
    const turns = views.map(() => {
      vi.advanceTimersByTime(20_000)
      return location.hash
    })

    expect(turns).toEqual(
      [...views.slice(1), views[0]].map(({ id }) => `#${id}?theme=dark&kiosk=rotate`),
    )
    expect(history.length).toBe(before)
  })

  it.each([
    { hash: '#resets?kiosk=1', seconds: 3_600, view: 'resets' },
    { hash: '#resets?kiosk=45', seconds: 44, view: 'resets' },
    { hash: '#resets?kiosk=45', seconds: 45, view: 'stats' },
  ])('at $hash shows after $seconds s: $view', ({ hash, seconds, view }) => {
    begin(hash)
    vi.advanceTimersByTime(seconds * 1_000)

    expect(route.value.view).toBe(view)
  })

  it.each([
    { text: '4', nearest: '5' },
    { text: '99999', nearest: '3600' },
  ])('asked for $text s a view takes $nearest s', ({ text, nearest }) => {
    goTo(`#overview?kiosk=${text}`)

    expect([kiosk.value, location.hash]).toEqual([nearest, `#overview?kiosk=${nearest}`])
  })

  it.each(['0', '-4', 'yes', '1e2', ''])('is not what "kiosk=%s" asks for', (text) => {
    goTo(`#overview?kiosk=${text}`)

    expect([kiosk.value, location.hash]).toEqual(['', '#overview'])
  })

  it('hides its controls as long as it hangs there, which Escape ends', () => {
    begin('#overview?kiosk=1')
    expect(document.documentElement.dataset.kiosk).toBe('')
    press('Escape')
    expect(kiosk.value).toBe('')
    stop()

    expect(document.documentElement.dataset.kiosk).toBe(undefined)
    vi.advanceTimersByTime(60_000)
    expect(location.hash).toBe('#overview')
  })

  it('keeps the screen awake, again whenever it is seen', () => {
    begin('#overview?kiosk=1')
    expect(request).toHaveBeenCalledTimes(1)
    expect(request).toHaveBeenCalledWith('screen')
    Object.assign(document, { hidden: true })
    dispatch(null, 'visibilitychange')
    Object.assign(document, { hidden: false })
    dispatch(null, 'visibilitychange')

    expect(request).toHaveBeenCalledTimes(2)
  })

  it('works where the browser refuses, or knows nothing of it', () => {
    request.mockRejectedValueOnce(new Error('low battery'))
    begin('#overview?kiosk=1')
    stop()
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: {} })
    begin('#health?kiosk=1')

    expect(route.value.view).toBe('health')
  })
})

describe('the size on a wall', () => {
  it.each([
    { width: 1280, fitsTo: 4, scale: 1 },
    { width: 1920, fitsTo: 4, scale: 1.5 },
    { width: 3840, fitsTo: 4, scale: 3 },
    { width: 800, fitsTo: 0, scale: 1 },
    // Content that does not fit even then is cut off.
    { width: 3840, fitsTo: 0, scale: 2.4 },
  ])('of a screen $width px wide on which $fitsTo fits is $scale', ({ width, fitsTo, scale }) => {
    expect(scaleFor(width, 1, (wanted) => wanted <= fitsTo)).toBeCloseTo(scale)
  })

  it.each([
    { what: 'all rows', heights: { '': 800, fewer: 500, fewest: 400 }, kept: '' },
    { what: 'fewer rows', heights: { '': 801, fewer: 800, fewest: 700 }, kept: 'fewer' },
    { what: 'a line each', heights: { '': 900, fewer: 801, fewest: 800 }, kept: 'fewest' },
    { what: 'no rows', heights: { '': 2_000, fewer: 2_000, fewest: 2_000 }, kept: 'fewest' },
  ])('shows what fits: $what', ({ heights, kept }) => {
    const root = document.documentElement
    Object.defineProperty(root, 'scrollHeight', {
      configurable: true,
      get: () => heights[root.dataset.kiosk as keyof typeof heights],
    })
    begin('#overview?kiosk=1')
    vi.advanceTimersByTime(1)

    expect(root.dataset.kiosk).toBe(kept)
    Reflect.deleteProperty(root, 'scrollHeight')
  })

  it('goes below the smallest before anything is cut off', () => {
    expect(scaleFor(1_280, 0.85, (wanted) => wanted <= 0.9)).toBeCloseTo(0.857)
    expect(scaleFor(1_280, 0.85, () => false)).toBe(0.85)
  })

  it('is looked for again once the page has grown out of the screen', () => {
    const root = document.documentElement
    let height = 800
    Object.defineProperty(root, 'scrollHeight', {
      configurable: true,
      get: () => (root.dataset.kiosk === '' ? height : 800),
    })
    begin('#overview?kiosk=1')
    vi.advanceTimersByTime(5_000)
    expect(root.dataset.kiosk).toBe('')
    height = 801
    vi.advanceTimersByTime(1_000)

    expect(root.dataset.kiosk).toBe('fewer')
    Reflect.deleteProperty(root, 'scrollHeight')
  })

  it('is the largest of its steps that fits', () => {
    const scale = scaleFor(3_840, 1, (wanted) => wanted <= 2.6)

    expect(scale).toBeLessThanOrEqual(2.6)
    expect(scale).toBeGreaterThan(2.6 * 0.95)
  })
})
