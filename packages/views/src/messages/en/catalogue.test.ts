import { describe, expect, it } from 'vitest'
import { snapshotSource } from './catalogue.ts'

describe('where the numbers come from', () => {
  it.each([
    { failed: [], text: 'Partly live: some sources are not read' },
    { failed: ['gateway'], text: 'Partly live: gateway failed' },
    { failed: ['gateway', 'direct quota'], text: 'Partly live: gateway, direct quota failed' },
  ])('names the sources that failed: $text', ({ failed, text }) => {
    expect(snapshotSource.partial(failed)).toBe(text)
  })

  it.each([
    { answeredAt: null, text: 'Old account list' },
    { answeredAt: 'at 19:55', text: 'Old account list: the proxy last answered at 19:55' },
  ])('says when the proxy last answered, where that is known: $text', ({ answeredAt, text }) => {
    expect(snapshotSource.stale(answeredAt)).toBe(text)
  })
})
