import { h } from 'preact'
import { beforeEach, expect, it } from 'vitest'
import { outcome } from '../state/refresh.ts'
import { change, click, draw, showPool, wordsOf } from '../testing/page.ts'
import { TryKey } from './try-key.tsx'

let asked: unknown[] = []

beforeEach(() => {
  asked = []
  globalThis.fetch = (path, options) => {
    asked.push([path, options?.body])
    return new Promise(() => undefined)
  }
  showPool([])
})

it('lets the monitor try the key at once, and once', () => {
  const place = draw(h(TryKey, {}))
  click(place.querySelector('button'))
  click(place.querySelector('button'))

  expect(asked).toEqual([['/api/v1/quota/refresh', '{"scope":"default"}']])
  expect(place.querySelector('button')?.getAttribute('aria-disabled')).toBe('true')
})

it('says where it was pressed what came of it', () => {
  const place = draw(h(TryKey, {}))
  change(() => {
    outcome.value = { text: 'Refresh failed: refused.', isGood: false, accountKey: null }
  })

  expect(wordsOf(place)).toBe('Try the key now Refresh failed: refused.')
})
