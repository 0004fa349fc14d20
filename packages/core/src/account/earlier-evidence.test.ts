import { describe, expect, it } from 'vitest'
import { aQuotaSample, evidenceOf, fromNow } from '../testing/index.ts'
import { mergedEvidence } from './earlier-evidence.ts'

const refused = (inARow: number) => ({ inARow, lastAt: fromNow(0), httpStatus: 401 })
const failure = { at: fromNow(0), kind: 'auth', httpStatus: 401, inARow: 1 } as const

describe('what an earlier process knew', () => {
  it('fills in samples of every origin that this one has not read', () => {
    const mine = aQuotaSample({ fiveHour: 10 }, { origin: 'headers' })
    const earlier = [
      aQuotaSample({ fiveHour: 90 }, { origin: 'headers' }),
      aQuotaSample({ fiveHour: 50 }),
    ]
    expect(mergedEvidence(evidenceOf([mine]), evidenceOf(earlier)).samples).toEqual([
      mine,
      earlier[1],
    ])
  })

  it.each([
    ['a refused login stays refused', evidenceOf([]), 2],
    [
      'one refusal more does not begin to count anew',
      evidenceOf([], { refusedLogin: refused(1), probeFailure: failure }),
      2,
    ],
    ['an answer of the vendor has cleared it', evidenceOf([aQuotaSample()]), null],
  ])('%s', (_, current, inARow) => {
    const merged = mergedEvidence(
      current,
      evidenceOf([], { refusedLogin: refused(2), probeFailure: failure }),
    )
    expect(merged.refusedLogin?.inARow ?? null).toBe(inARow)
    expect(merged.probeFailure === null).toBe(inARow === null)
  })
})
