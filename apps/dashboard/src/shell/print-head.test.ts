import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { browserMs, status } from '../state/live-data.ts'
import { anEntry, change, clearPage, draw, showPool, wordsOf } from '../testing/page.ts'
import { PrintHead } from './print-head.tsx'

afterEach(() => {
  clearPage()
  location.hash = '#overview'
  browserMs.value = NOW
})

describe('the head of what is printed', () => {
  it('says the view, the date, the age of the data and the zone', () => {
    showPool([anEntry('ana')])
    location.hash = '#resets'
    const place = draw(h(PrintHead, {}))
    change(() => {
      browserMs.value = NOW + 240_000
    })

    expect(wordsOf(place)).toBe(
      'Quota, Resets, 20 Nov 2026 20:04. Data of 20 Nov 2026 20:00, 4min old. Times in Asia/Shanghai (UTC+08:00)',
    )
  })

  it('says that there is no data, where there is none', () => {
    showPool([])
    change(() => {
      status.value = null
    })

    expect(wordsOf(draw(h(PrintHead, {})))).toMatch(/^Quota, Overview, .* no data/)
  })
})
