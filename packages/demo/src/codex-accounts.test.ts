import { createHash } from 'node:crypto'
import { epochMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { exampleObservationAt } from './example-observation.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import { createDemoUsageReader } from './example-usage.ts'
import { demoQuotaCourse } from './quota-course.ts'

const HOUR_MS = 3_600_000
const ACCOUNTS = 24

const digestOf = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

describe('the 24 accounts of Codex, which other providers joined later', () => {
  // Digests taken before there were any others.
  it.each([
    { hours: 0, digest: 'cb77ae723766f8a9' },
    { hours: 31, digest: 'b53b36e3594268b2' },
  ])('are listed and read as before, $hours h on', ({ hours, digest }) => {
    const { sources, evidenceByAuthName } = exampleObservationAt(epochMs(NOW + hours * HOUR_MS))
    const accounts = sources.accounts.lastGood?.value.accounts.slice(0, ACCOUNTS) ?? []
    const evidence = accounts.map(({ selector }) => evidenceByAuthName.get(selector.authName))

    expect(digestOf([accounts, evidence])).toBe(digest)
  })

  it('have the course and the usage they had', async () => {
    const keys = SAMPLE_POOL.slice(0, ACCOUNTS).map(({ accountKey }) => accountKey)
    const query = { range: '24h', metric: 'tokens', group: 'account', top: 100 } as const
    const { lines } = await createDemoUsageReader().series(query, NOW)
    const usage = lines.filter(({ id }) => keys.includes(id))

    const courses = keys.map((accountKey) => demoQuotaCourse({ accountKey, range: '7d' }, NOW))

    expect([usage.length, digestOf(usage), digestOf(courses)]).toEqual([
      15,
      'a482903dd9a77d8e',
      '72673e5f8d715efb',
    ])
  })
})
