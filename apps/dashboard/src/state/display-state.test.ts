import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { media, setMedia } from '../testing/browser.ts'

const CONTRAST = '(prefers-contrast: more), (monochrome)'
const DARK = '(prefers-color-scheme: dark)'

/** Loads the page again in the same browser. */
const reload = () => import('./display-state.ts')

beforeEach(() => vi.resetModules())
afterEach(() => {
  localStorage.clear()
  media.clear()
})

describe('the display of this browser', () => {
  it('begins as the system has it, shows addresses and takes single keys', async () => {
    const { theme, privacy, singleKeys } = await reload()

    expect([theme.value, privacy.value, singleKeys.value]).toEqual(['system', false, true])
  })

  it('begins with high contrast where the system asks for it', async () => {
    media.add(CONTRAST)

    expect((await reload()).theme.value).toBe('eink')
  })

  it('keeps a choice for the next visit, against the wish of the system', async () => {
    const before = await reload()
    before.theme.value = 'light'
    before.privacy.value = true
    before.statsControls.value = { ...before.statsControls.value, top: 3, range: '7d' }

    media.add(CONTRAST)
    vi.resetModules()
    const after = await reload()

    expect([after.theme.value, after.privacy.value]).toEqual(['light', true])
    expect(after.statsControls.value).toMatchObject({ top: 3, range: '7d', smooth: false })
  })

  it.each([
    { what: 'no JSON', name: 'theme', kept: '{', read: 'system' },
    { what: 'a theme that is gone', name: 'theme', kept: '"sepia"', read: 'system' },
    { what: 'another type', name: 'privacy', kept: '"yes"', read: false },
    { what: 'nothing', name: 'privacy', kept: 'null', read: false },
  ] as const)('begins anew where $what is stored', async ({ name, kept, read }) => {
    localStorage.setItem(`quota.${name}`, kept)

    expect((await reload())[name].value).toBe(read)
  })

  it.each([
    { what: 'lack a member', kept: { range: '7d' } },
    { what: 'have one of another type', kept: { top: 'many' } },
  ])('has controls of its own where the stored ones $what', async ({ kept }) => {
    const { statsControls } = await reload()
    const whole = { ...statsControls.value }
    localStorage.setItem(
      'quota.stats',
      JSON.stringify('range' in kept ? kept : { ...whole, ...kept }),
    )
    vi.resetModules()

    expect((await reload()).statsControls.value).toEqual(whole)
  })

  it('works in a browser that stores nothing', async () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('no room')
    })
    const { theme } = await reload()
    theme.value = 'dark'
    vi.restoreAllMocks()

    expect(theme.value).toBe('dark')
  })

  it('follows the system between light and dark, unless a theme is chosen', async () => {
    const { applyTheme, theme } = await reload()
    const shown = () => document.documentElement.dataset.theme
    applyTheme()
    expect(shown()).toBe('light')

    setMedia(DARK, true)
    expect(shown()).toBe('dark')

    theme.value = 'eink'
    expect(shown()).toBe('eink')
    setMedia(DARK, false)
    expect(shown()).toBe('eink')
  })
})
