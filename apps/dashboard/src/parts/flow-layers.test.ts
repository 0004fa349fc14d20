import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { showPool } from '../testing/page.ts'
import { dryNote } from './flow-layers.tsx'

const HOUR = 3_600_000
const dry = { atMs: NOW + 3 * HOUR, fromMs: NOW + 2 * HOUR, toMs: NOW + 4 * HOUR }

beforeEach(() => showPool([]))

describe('what is said of a time in which a window may run dry', () => {
  it.each([
    { what: 'before the band', hours: 1.99, mark: dry, note: '' },
    { what: 'as the band begins', hours: 2, mark: dry, note: '; at this pace dry about 23:00' },
    { what: 'as the band ends', hours: 4, mark: dry, note: '; at this pace dry about 23:00' },
    { what: 'after the band', hours: 4.01, mark: dry, note: '' },
    { what: 'without a forecast', hours: 3, mark: null, note: '' },
  ])('is "$note" $what', ({ hours, mark, note }) => {
    expect(dryNote(mark, NOW + hours * HOUR)).toBe(note)
  })
})
