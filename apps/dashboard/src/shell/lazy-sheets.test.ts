import { aScheduler, fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { anEntry, change, click, draw, press, showPool, wordsOf } from '../testing/page.ts'
import { LazySheets, openSheet } from './lazy-sheets.tsx'
import { followKeys } from './shortcuts.ts'

beforeAll(followKeys)
afterEach(() => {
  change(() => {
    openSheet.value = null
  })
})

describe('a sheet that is loaded when it is opened', () => {
  it('is that of the words, which close again', async () => {
    const place = draw(h(LazySheets, {}))
    change(() => {
      openSheet.value = 'glossary'
    })
    await expect.poll(() => place.querySelectorAll('dialog').length).toBe(1)
    expect(wordsOf(place.querySelector('dl'))).toContain(
      'Plus One Plus is a full window of a Plus account.',
    )

    click(place.querySelector('button'))
    expect([openSheet.value, place.querySelectorAll('dialog').length]).toEqual([null, 0])
  })

  it('is that of the plugin that routes by the ranking, with the age of its last question', async () => {
    const askedAt = fromNow(-4)
    showPool([anEntry('ana')], {
      observed: { schedulers: [aScheduler({ askedAt, consultedAt: askedAt })] },
    })
    const place = draw(h(LazySheets, {}))
    change(() => {
      openSheet.value = 'routing'
    })
    await expect.poll(() => place.querySelectorAll('dialog').length).toBe(1)

    expect(wordsOf(place.querySelector('.command code'))).toBe(
      'svc-quota-monitor init proxy-plugin',
    )
    expect(wordsOf(place.querySelector('.readers'))).toBe(
      'Readers of the ranking Scheduler plugin 0.2.0 Routes requests by the ranking. Last asked 4 s ago',
    )
  })

  it.each([
    { what: 'Control', details: { ctrlKey: true } },
    { what: 'Command', details: { metaKey: true } },
  ])('is the palette at $what and K, also in a field, and again closes it', ({ details }) => {
    showPool([anEntry('ana')])
    const field = document.createElement('input')
    field.focus()

    expect(press('k', details)).toBe(true)
    expect(openSheet.value).toBe('palette')
    press('k', details)
    expect(openSheet.value).toBe(null)
  })

  it.each([{}, { ctrlKey: true, altKey: true }])('is none at K with %j', (details) => {
    press('k', details)

    expect(openSheet.value).toBe(null)
  })
})
