import { describe, expect, it } from 'vitest'
import { createRandom } from '../testing/random.ts'
import { groupedRunsIn } from './grouped-runs.ts'

const found = (text: string) => groupedRunsIn(text).map(({ value }) => value)
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'

describe('random text in groups', () => {
  it.each(['-', ':', '_', '.'])('is found with %s between them', (sign) => {
    for (const token of [
      ['18013ffe', 'f396a4f8', '3cab73fd', '7eab948c'].join(sign),
      ['abcd', '1234', 'efgh', '5678', 'ijkl', '9012'].join(sign),
      ['X7KPQ', '92MQA', 'A1BZ0', 'QW77K', 'LK2'].join(sign),
    ])
      for (const text of [token, `see ${token}, and`, `id=${token}`, `/a/${token}/b`])
        expect(found(text)).toEqual([token])
  })

  it('is found behind words and before them', () => {
    expect(found('backup-code-18013ffe-f396a4f8-3cab73fd-of-today')).toEqual([
      '18013ffe-f396a4f8-3cab73fd',
    ])
  })

  it('is found whatever was drawn', () => {
    const random = createRandom(28)
    const missed = Array.from({ length: 2000 }, () =>
      [DIGITS, LETTERS, DIGITS, LETTERS, LETTERS + DIGITS, LETTERS + DIGITS]
        .map((alphabet) => random.text(alphabet, 4))
        .join('-'),
    ).filter((token) => found(token)[0] !== token)

    expect(missed).toEqual([])
  })
})

describe('nothing is found', () => {
  it.each([
    '01234567-89ab-4cde-8f01-23456789abcd',
    '2026-11-21T17:31:00.124Z',
    '2026-2027-2028-2029-2030-2031',
    'some-more-text-that-goes-over-here',
    'check_const_PKCS7_RECIP',
    'resources.jetbrains.com',
    'node_modules.some.name.with.dots.1234',
    '1234-5678-9012-3456-7890',
    'aa:bb:cc:dd:ee:ff:00:11:22:33:44:55',
    'gpt-5.5-codex-high-2026-11-21',
    '10.128.0.255:8317-10.128.0.254:8317',
  ])('in %s', (text) => {
    expect(found(text)).toEqual([])
  })
})
