import { epochMs, plusMs } from '@svc/core'
import type { UsageBatch } from '@svc/core/usage'
import { inTransaction } from '@svc/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { createDictionaries, type Dictionaries } from './dictionary.ts'
import { createUsageRows, type UsageRows } from './usage-rows.ts'

const MINUTES = 'SELECT sum(requests) FROM rollups WHERE grouping = 0 AND tier_seconds = 60'
const NEVER = epochMs(0)

let fresh: FreshDatabase
let dictionaries: Dictionaries
let rows: UsageRows
beforeEach(() => {
  fresh = freshDatabase()
  dictionaries = createDictionaries(fresh.db, 'instance')
  rows = createUsageRows(fresh.db, dictionaries)
})
afterEach(() => fresh.remove())

const add = (batch: UsageBatch, cut = NEVER) =>
  inTransaction(fresh.db, () => rows.add(batch, { upstream: 'tokyo', cut }))

describe('requests', () => {
  it('are stored with the numbers of their names', () => {
    add(aBatch([aDetail(1, { tokens: 7, failed: true })]))

    expect(
      fresh.rows(
        'SELECT at_ms, accounts.key, api_names.name, models.name, tokens, failed FROM usage JOIN accounts ON accounts.id = account_id JOIN api_names ON api_names.id = api_name_id JOIN models ON models.id = model_id',
      ),
    ).toEqual([[NOW - 1000, 'account-1', 'key-1', 'model', 7, 1]])
  })

  it.each(['usage', 'rollups'])('that a trigger on %s drops are a failure', (table) => {
    add(aBatch([aDetail(1)]))
    fresh.db.exec(`CREATE TRIGGER thief BEFORE INSERT ON ${table} BEGIN SELECT RAISE(IGNORE); END`)

    expect(() => add(aBatch([aDetail(2)]))).toThrow(
      expect.objectContaining({ code: 'not_permitted', engine: 'sqlite' }),
    )
    rows.discard()
    expect(fresh.rows('SELECT count(*) FROM usage')).toEqual([[1]])
    expect(add(aBatch([aDetail(1)])).stored).toBe(0)
  })

  it('are stored with their proxy, their provider, the classes of their tokens and their times', () => {
    const classes = { tokensIn: 1, tokensCached: 2, tokensWritten: 3, tokensOut: 4 }
    add(aBatch([aDetail(1, { provider: 'claude', classes, latencyMs: 90, firstTokenMs: 30 })]))

    expect(
      fresh.rows(
        `SELECT s.name, p.name, tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms
         FROM usage JOIN upstreams s ON s.id = upstream_id JOIN providers p ON p.id = provider_id`,
      ),
    ).toEqual([['tokyo', 'claude', 1, 2, 3, 4, 90, 30]])
  })

  it('that do not say so are stored with unknowns, never with zeros', () => {
    add(aBatch([aDetail(1)]))

    expect(
      fresh.rows(
        'SELECT provider_id, tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms FROM usage',
      ),
    ).toEqual([[null, null, null, null, null, null, null]])
  })

  it.each([
    { accountKey: 'account-1', provider: null, counted: 'codex' },
    { accountKey: 'other:gemini', provider: null, counted: 'gemini' },
    { accountKey: 'account-1', provider: 'claude', counted: 'claude' },
  ])('of $accountKey by $provider are counted for $counted', ({ counted, ...detail }) => {
    add(aBatch([aDetail(1, detail)]))

    expect(
      fresh.rows(
        'SELECT DISTINCT p.name FROM rollups JOIN providers p ON p.id = member_id WHERE grouping = 5',
      ),
    ).toEqual([[counted]])
  })

  it('that are there already are neither stored nor summed again', () => {
    add(aBatch([aDetail(1), aDetail(2), aDetail(2)]))

    expect(add(aBatch([aDetail(2), aDetail(3)]))).toEqual({ stored: 1, expired: 0 })
    expect(fresh.rows(MINUTES)).toEqual([[3]])
  })

  it('of one instant are two where their keys differ', () => {
    const twins = [aDetail(1), aDetail(1, { key: 99n })]

    expect(add(aBatch(twins))).toEqual({ stored: 2, expired: 0 })
  })

  it('before the cut are counted, and teach the dictionaries nothing', () => {
    const cut = plusMs(NOW, -5000)
    const old = aDetail(6, { model: 'forgotten' })

    expect(add(aBatch([aDetail(5), old]), cut)).toEqual({ stored: 1, expired: 1 })
    expect(fresh.rows('SELECT name FROM models')).toEqual([['model']])
  })

  it('of a transaction that failed are in no later sum', () => {
    expect(() =>
      inTransaction(fresh.db, () => {
        const broken = { ...aDetail(2), tokens: {} as number }
        return rows.add(aBatch([aDetail(1), broken]), { upstream: 'tokyo', cut: NEVER })
      }),
    ).toThrow()
    dictionaries.forget()
    rows.discard()
    add(aBatch([aDetail(3)]))

    expect(fresh.rows(MINUTES)).toEqual([[1]])
    expect(fresh.rows('SELECT count(*) FROM usage')).toEqual([[1]])
  })
})

describe('quarantined records', () => {
  it('are the newest two hundred, of one batch and of several', () => {
    const records = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        reason: 'bad_shape' as const,
        shape: `{${first + index}}`,
      }))
    inTransaction(fresh.db, () => rows.quarantine(records(0, 201), { upstream: 'tokyo', at: NOW }))
    expect(fresh.rows('SELECT count(*), min(at_ms) FROM quarantine')).toEqual([[200, NOW]])
    expect(fresh.rows('SELECT shape FROM quarantine ORDER BY id LIMIT 1')).toEqual([['{1}']])
    inTransaction(fresh.db, () =>
      rows.quarantine(records(500, 2), { upstream: 'tokyo', at: plusMs(NOW, 1) }),
    )

    expect(fresh.rows('SELECT count(*), max(at_ms) FROM quarantine')).toEqual([[200, NOW + 1]])
    expect(fresh.rows('SELECT shape FROM quarantine ORDER BY id LIMIT 1')).toEqual([['{3}']])
  })
})
