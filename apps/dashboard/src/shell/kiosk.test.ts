import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chosenProvider, kiosk, wallLines } from '../state/display-state.ts'
import { goTo, route } from '../state/route.ts'
import { dispatch } from '../testing/browser.ts'
import { press } from '../testing/page.ts'
import { aMixedPool, clearProvider, showProvider } from '../testing/providers.ts'
import { views } from '../views/view-table.ts'
import { fitScale, runKiosk } from './kiosk.ts'

let stop: () => void = () => undefined
const request = vi.fn(async (_kind: string) => ({ release: async () => undefined }))

beforeEach(() => {
  clearProvider()
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
  clearProvider()
  vi.useRealTimers()
  Object.assign(document, { hidden: false })
})

/** Starts the kiosk for this address. */
function begin(hash: string): void {
  goTo(hash)
  stop = runKiosk(kiosk.value)
}

describe('a page on a wall', () => {
  it.each([
    { hash: '#overview?kiosk=1', provider: 'all' },
    { hash: '#overview?provider=claude&kiosk=1', provider: 'claude' },
  ])('at $hash shows $provider of several providers', ({ hash, provider }) => {
    showProvider(aMixedPool())
    begin(hash)

    expect(chosenProvider.value).toBe(provider)
  })

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
    { width: 1280, height: 720, scale: 1 },
    { width: 1920, height: 1080, scale: 1.5 },
    { width: 3840, height: 2160, scale: 3 },
    { width: 2560, height: 1080, scale: 1.5 },
    { width: 1920, height: 1200, scale: 1.5 },
    { width: 800, height: 1280, scale: 1 },
  ])('of a screen of $width × $height is $scale', ({ width, height, scale }) => {
    expect(fitScale(width, height)).toBe(scale)
  })

  it('has no charts where all does not fit otherwise, and has them again once it does', () => {
    const root = document.documentElement
    let height = innerHeight + 1
    Object.defineProperty(root, 'scrollHeight', { configurable: true, get: () => height })
    begin('#overview?kiosk=1')
    expect(root.dataset.kiosk).toBe('fewer')
    height = innerHeight
    vi.advanceTimersByTime(5_000)

    expect(root.dataset.kiosk).toBe('')
    Reflect.deleteProperty(root, 'scrollHeight')
  })
})

describe('the lines of actions on a wall', () => {
  it.each([
    { why: 'all of them', room: 400, lines: 4, push: '' },
    { why: 'whole ones', room: 101, lines: 2, push: '' },
    { why: 'those of the next page', room: 67, lines: 4, push: '87px' },
    { why: 'those of a later page', room: -90, lines: 4, push: '0px' },
  ])('are $why with room for $room pixels', ({ room, lines, push }) => {
    const place = document.createElement('div')
    place.innerHTML = '<section class="need"><ul class="needs"><li></li><li></li></ul></section>'
    document.body.append(place)
    const placed = (selector: string, top: number) =>
      Object.assign(place.querySelector(selector) ?? {}, {
        getBoundingClientRect: () => ({ top, height: 34 }),
      })
    placed('.need', innerHeight - room - 20)
    placed('.needs', innerHeight - room)
    placed('li', innerHeight - room)
    begin('#overview?kiosk=1')
    place.remove()

    const block = place.querySelector<HTMLElement>('.need')
    expect([wallLines.value, block?.style.getPropertyValue('--push')]).toEqual([lines, push])
  })
})

describe('a view higher than the screen', () => {
  /** Lets the view be two and a half screens high. */
  function beHigh(): void {
    const root = document.documentElement
    Object.defineProperty(root, 'scrollHeight', {
      configurable: true,
      get: () => (route.value.view === 'accounts' ? innerHeight * 2.5 : innerHeight),
    })
    vi.stubGlobal('scrollBy', (_x: number, y: number) => {
      vi.stubGlobal('scrollY', Math.min(scrollY + y, innerHeight * 1.5))
    })
    vi.stubGlobal('scrollTo', () => vi.stubGlobal('scrollY', 0))
    vi.stubGlobal('scrollY', 0)
  }
  /** Number of full pages scrolled after each turn. */
  const pagesOver = (seconds: readonly number[]) =>
    seconds.map((each) => {
      vi.advanceTimersByTime(each * 1_000)
      return [route.value.view, Math.ceil(scrollY / innerHeight)]
    })
  afterEach(() => {
    vi.unstubAllGlobals()
    Reflect.deleteProperty(document.documentElement, 'scrollHeight')
  })

  it('turns its pages and begins anew', () => {
    beHigh()
    begin('#accounts?kiosk=1')

    expect(pagesOver([9, 1, 10, 10])).toEqual([
      ['accounts', 0],
      ['accounts', 1],
      ['accounts', 2],
      ['accounts', 0],
    ])
  })
})
