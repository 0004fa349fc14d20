import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { dispatch } from '../testing/browser.ts'
import { anEntry, showPool } from '../testing/page.ts'
import { followSaves } from './page.tsx'

const CSV = '/api/v1/stats/series?format=csv'
const saved: { name: string; text: string }[] = []
let stop: () => void
let kept: Blob | null = null

/** Presses a link; true if the page kept the browser from following it. */
function press(href: string): boolean {
  const link = document.createElement('a')
  link.setAttribute('href', href)
  document.body.replaceChildren(link)
  return dispatch(link, 'click')
}

beforeEach(() => {
  showPool([anEntry('ana', {}, { title: 'Zoé Lefèvre (Lyon)' })])
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    kept = blob as Blob
    return 'blob:kept'
  })
  vi.spyOn(HTMLElement.prototype, 'click').mockImplementation(async function (this: HTMLElement) {
    saved.push({ name: (this as HTMLAnchorElement).download, text: (await kept?.text()) ?? '' })
  })
  stop = followSaves()
})
afterEach(() => {
  stop()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  saved.length = 0
})

/** A `fetch` with this answer from the API. */
const answering = (body: string, type: string, status = 200) =>
  vi.stubGlobal(
    'fetch',
    async () => new Response(body, { status, headers: { 'Content-Type': type } }),
  )

describe('a file that is saved in private', () => {
  beforeEach(() => {
    privacy.value = true
  })

  it.each([
    {
      type: 'text/csv; charset=utf-8',
      body: 'id,tokens\r\nZoé Lefèvre (Lyon),5\r\n',
      ending: 'csv',
    },
    { type: 'application/json', body: '{"label":"Zoé Lefèvre (Lyon)"}', ending: 'json' },
  ])('has no name that a person chose: $ending', async ({ type, body, ending }) => {
    answering(body, type)

    expect(press(CSV)).toBe(true)
    await expect.poll(() => saved.length).toBe(1)
    expect(saved[0]?.name).toBe(`usage.${ending}`)
    expect(saved[0]?.text).toMatch(/user-[0-9a-f]{4}/)
    expect(saved[0]?.text).not.toContain('Zoé')
  })

  it('is not made of an error', async () => {
    answering('{"label":"Zoé Lefèvre (Lyon)"}', 'application/json', 503)
    press(CSV)
    await new Promise((resolve) => setImmediate(resolve))

    expect(saved).toEqual([])
  })
})

describe('a link', () => {
  it.each([
    { what: 'to a view', href: '#accounts', isPrivate: true },
    { what: 'to the contract', href: '/api/v1/openapi.json', isPrivate: true },
    { what: 'to a file while names are shown', href: CSV, isPrivate: false },
  ])('$what is followed by the browser', ({ href, isPrivate }) => {
    privacy.value = isPrivate

    expect(press(href)).toBe(false)
  })
})
