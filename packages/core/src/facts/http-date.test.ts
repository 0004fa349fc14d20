import { describe, expect, it } from 'vitest'
import { parseHttpDate } from './http-date.ts'
import { parseInstant } from './time.ts'

describe('parseHttpDate', () => {
  it.each([
    ['Fri, 20 Nov 2026 23:53:37 GMT', '2026-11-20T23:53:37Z'],
    ['Thu, 01 Jan 2026 00:00:00 GMT', '2026-01-01T00:00:00Z'],
  ])('reads %s', (text, iso) => {
    expect(parseHttpDate(text)).toBe(parseInstant(iso))
  })

  it.each([
    null,
    '',
    '2026-11-20T23:53:37Z',
    'Fri, 20 Foo 2026 23:53:37 GMT',
    'Fri, 20 Nov 2026 25:53:37 GMT',
  ])('%s is none', (text) => {
    expect(parseHttpDate(text)).toBeNull()
  })
})
