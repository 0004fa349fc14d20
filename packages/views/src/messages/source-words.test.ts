import type { Snapshot } from '@svc/core'
import type { HealthSource } from '@svc/core/health'
import type { SourceId } from '@svc/core/service'
import {
  anAccount,
  aQuotaSample,
  aSnapshot as evaluatedSnapshot,
  evidenceOf,
  fromNow,
  NOW,
} from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { sourceFailureCodes } from '../testing/every-code.ts'
import { anEvaluatedAccount, aSnapshot } from '../testing/snapshots.ts'
import { countedAccountsText } from './en/names.ts'
import { sourceRows } from './en/sources.ts'
import { sourceWords } from './source-words.ts'
import { createWording } from './wording.ts'

const text = createWording('Asia/Shanghai')
const snapshot = aSnapshot([anEvaluatedAccount('a')])

const sourceIds = Object.keys(sourceRows) as SourceId[]
function aSource(changes: Partial<HealthSource>): HealthSource {
  return {
    id: 'gateway',
    tone: 'good',
    outcome: { kind: 'ok', at: fromNow(-12) },
    failuresInARow: 0,
    lastGoodAt: fromNow(-12),
    since: fromNow(-600),
    ...changes,
  }
}

describe('sourceWords', () => {
  it('a source that answers says when', () => {
    expect(sourceWords(aSource({}), snapshot, text)).toEqual({
      title: 'Gateway',
      badge: 'OK',
      summary: 'Answered at 19:59:48.',
    })
  })

  it('direct quota says of each vendor how many accounts were read, until all were', () => {
    const unread = (name: string, provider: string) =>
      [anAccount(name, { provider }), null] as const
    const pool = evaluatedSnapshot([
      [anAccount('a'), evidenceOf([aQuotaSample()])],
      ...[unread('b', 'claude'), unread('c', 'claude'), unread('d', 'xai')],
    ])

    expect(sourceWords(aSource({ id: 'direct_quota' }), pool, text).detail).toBe(
      'Claude: 0 of 2 accounts read. xAI: 0 of 1 account read.',
    )
    expect(sourceWords(aSource({ id: 'direct_quota' }), snapshot, text)).not.toHaveProperty(
      'detail',
    )
  })

  it('the account list counts its accounts', () => {
    expect(sourceWords(aSource({ id: 'accounts' }), snapshot, text)).toMatchObject({
      title: 'Account list',
      detail: '1 Codex account.',
    })
    expect(sourceWords(aSource({ id: 'accounts' }), aSnapshot([]), text)).toMatchObject({
      detail: `${countedAccountsText([])}.`,
    })
  })

  it.each<readonly [changes: Partial<Snapshot>, detail: string]>([
    [
      { skipped: [{ position: 3, reason: 'no_name' }] },
      "1 Codex account. 1 entry of the proxy's list is left out: number 3 (has no name).",
    ],
    [
      {
        skipped: (['not_an_object', 'no_name', 'bad_name', 'repeated'] as const).flatMap(
          (reason, index) => [
            { position: 1 + 2 * index, reason },
            { position: 2 + 2 * index, reason },
          ],
        ),
      },
      "1 Codex account. 8 entries of the proxy's list are left out: number 1 (is no account, or larger than 1 MB), 2 (is no account, or larger than 1 MB), 3 (has no name), 4 (has no name), 5 (name cannot be used), and 3 more.",
    ],
    [
      { skipped: [{ position: 20_001, reason: 'too_many' }] },
      "1 Codex account. 1 entry of the proxy's list is left out: number 20001 (more than 20,000).",
    ],
    [{ clockSkewSeconds: 59 }, '1 Codex account.'],
    [
      { clockSkewSeconds: 600 },
      "1 Codex account. The proxy's clock is 10min ahead of ours; its times are corrected.",
    ],
    [
      { clockSkewSeconds: -3_700 },
      "1 Codex account. The proxy's clock is 1h 01min behind ours; its times are corrected.",
    ],
    [{ clockSkewSeconds: null }, '1 Codex account.'],
  ])('says what is odd about the account list: %j', (changes, detail) => {
    const odd = aSnapshot([anEvaluatedAccount('a')], changes)

    expect(sourceWords(aSource({ id: 'accounts' }), odd, text)).toMatchObject({
      detail,
    })
  })

  it.each([
    [null, '30.0GB free; how long that lasts is not known yet.'],
    [Infinity, '30.0GB free, enough at the pace of the last week.'],
    [9.9, '30.0GB free, full in 9 days at the pace of the last week.'],
    [1.9, '30.0GB free, full in a day at the pace of the last week.'],
    [0.9, '30.0GB free, full in less than a day at the pace of the last week.'],
  ])('the history in a file says how long its disk lasts: %s days', (fullInDays, said) => {
    const disk = { freeBytes: 3e10, fullInDays }
    const detail = (missedSeconds: number) =>
      sourceWords(aSource({ id: 'history', missedSeconds, disk }), snapshot, text).detail

    expect(detail(0)).toBe(said)
    expect(detail(60)).toMatch(/^In the last 24 h .* free/)
  })

  it('the history says what may have been missed, however little', () => {
    const said = (missedSeconds: number) =>
      sourceWords(aSource({ id: 'history', missedSeconds }), snapshot, text).detail

    expect([said(0.9), said(12)]).toEqual([
      undefined,
      'In the last 24 h usage may be missing for <1min in all.',
    ])
  })

  it('a source that fails says at which address', () => {
    const outcome = { kind: 'failed', code: 'unreachable', at: NOW } as const
    const failing = aSource({ id: 'gateway', outcome, address: 'http://127.0.0.1:8999/healthz' })
    const summaryIn = (language: 'en' | 'zh-CN') =>
      sourceWords(failing, aSnapshot([]), createWording('Asia/Shanghai', language)).summary

    expect(summaryIn('en')).toBe('No connection to the proxy at http://127.0.0.1:8999/healthz.')
    expect(summaryIn('zh-CN')).toBe('无法连接到代理（http://127.0.0.1:8999/healthz）。')
  })

  it('a benchmark summary says what it found, and that nothing follows from it', () => {
    const benchmark = {
      generatedAt: fromNow(-3600),
      speedup: 1.8437,
      tokenOverheadRatio: 0.92,
      weeklyToFiveHourMultiplier: 6.5,
    }

    expect(sourceWords(aSource({ id: 'benchmark' }), aSnapshot([], { benchmark }), text)).toEqual({
      title: 'Benchmark summary',
      badge: 'OK',
      summary: 'Read at 19:59:48.',
      detail:
        'The run of 20 Nov 19:00: median speed-up 1.84 ×, 0.92 × of the tokens, suggests weekly_to_five_hour_multiplier = 6.5. Shown only: nothing here follows from it.',
    })
  })

  it('says how many accounts have a plan nobody knows', () => {
    const accounts = [
      anEvaluatedAccount('one', { plan: 'quorum' }),
      anEvaluatedAccount('two', { plan: 'plus' }),
      anEvaluatedAccount('three', { plan: 'unknown' }),
    ]

    expect(sourceWords(aSource({ id: 'accounts' }), aSnapshot(accounts), text).detail).toBe(
      '3 Codex accounts. 1 account with a plan this monitor does not know: no part of the capacity.',
    )
  })

  it('names what vendors name and nobody here knows, by vendor and bounded', () => {
    const many = Array.from({ length: 30 }, (_, at) => `flag_${at + 10}`)
    const accounts = [
      anEvaluatedAccount('one', { unknownNames: ['paused', 'image_rate_limit'] }),
      anEvaluatedAccount('two', { unknownNames: ['paused'] }),
      anEvaluatedAccount('three', {
        account: anAccount('three', { provider: 'claude' }),
        unknownNames: many,
      }),
    ]
    const { detail } = sourceWords(aSource({ id: 'accounts' }), aSnapshot(accounts), text)

    expect(detail).toContain(
      'Codex names 2 things that this monitor does not know: image_rate_limit, paused.',
    )
    expect(detail).toContain('Claude names 30 things')
    expect(detail).toContain('flag_33, and 6 more.')
    expect(detail).not.toContain('flag_34')
  })

  it('a source that answers but is not all it should be is no plain OK', () => {
    expect(
      sourceWords(aSource({ id: 'direct_quota', tone: 'warn' }), snapshot, text),
    ).toMatchObject({ badge: 'Degraded' })
  })

  const listed = { kind: 'ok', at: fromNow(-4) } as const
  const noKey = { kind: 'failed', code: 'no_key', at: fromNow(-4) } as const
  const one = [anEvaluatedAccount('a')]
  it.each([
    { id: 'direct_quota', accounts: [], list: listed, summary: 'No accounts yet.' },
    { id: 'direct_quota', accounts: [], list: noKey, summary: 'Waiting for the management key.' },
    { id: 'direct_quota', accounts: one, list: listed, summary: 'Waiting for the first answer.' },
    { id: 'gateway', accounts: [], list: listed, summary: 'Waiting for the first answer.' },
  ] as const)('a source that waits says what for: $id, $summary', (row) => {
    const { id, accounts, list, summary } = row
    const waiting = aSource({ id, tone: 'unknown', outcome: { kind: 'pending' } })
    const { health } = snapshot
    const sources = [aSource({ id: 'accounts', outcome: list }), waiting]
    const shown = aSnapshot(accounts, { health: { ...health, sources } })

    expect(sourceWords(waiting, shown, text)).toMatchObject({ badge: 'Waiting', summary })
  })

  it.each([
    ['Off', { kind: 'off', reason: 'no_key' }],
    ['Waiting', { kind: 'pending' }],
  ] as const)('tells off from waiting: %s', (badge, outcome) => {
    expect(sourceWords(aSource({ tone: 'unknown', outcome }), snapshot, text)).toMatchObject({
      badge,
    })
  })

  it.each([
    [
      'direct_quota',
      'no_key',
      'There is no management key, which this needs.',
      'Set management_key_file.',
    ],
    [
      'history',
      'no_store',
      'No history is kept.',
      'Set state_db to the file or database that shall hold the history.',
    ],
    ['usage', 'switched_off', 'Switched off in the configuration.', 'Set usage_source to have it.'],
    [
      'usage',
      'standby',
      'Another monitor of the same history sees to it.',
      'Nothing to do: this one takes over when that one ends.',
    ],
  ] as const)('%s off because of %s says so', (id, reason, summary, note) => {
    const off = aSource({ id, tone: 'unknown', outcome: { kind: 'off', reason } })

    expect(sourceWords(off, snapshot, text)).toMatchObject({ badge: 'Off', summary, note })
  })

  it.each(['client_labels', 'benchmark'] as const)(
    'a broken file of %s is a file, and no answer',
    (id) => {
      for (const code of ['bad_payload', 'too_large', 'file_unreadable'] as const) {
        const words = sourceWords(
          aSource({
            id,
            tone: 'warn',
            outcome: { kind: 'failed', code, at: NOW },
            failuresInARow: 1,
          }),
          snapshot,
          text,
        )

        expect(words.summary).toMatch(/^The file of /)
        expect(words.note).toMatch(/the file|a file/)
        expect(JSON.stringify(words)).not.toMatch(/answer/)
      }
    },
  )

  it('a failure says what failed, since when, and what to do', () => {
    const outcome = { kind: 'failed', code: 'timeout', at: fromNow(-2) } as const
    expect(
      sourceWords(
        aSource({ tone: 'bad', outcome, failuresInARow: 3, lastGoodAt: fromNow(-300) }),
        snapshot,
        text,
      ),
    ).toEqual({
      title: 'Gateway',
      badge: 'Timeout',
      summary: 'No answer from the proxy in time.',
      detail: '3 failures in a row, last good at 19:55.',
      note: 'Check that the proxy runs and that upstream_url is right, and gateway_health_url where it is set.',
    })
    expect(
      sourceWords(
        aSource({ tone: 'warn', outcome, failuresInARow: 1, lastGoodAt: null }),
        snapshot,
        text,
      ),
    ).toMatchObject({
      detail: '1 failure in a row, none good so far.',
    })
  })

  it.each(sourceIds.flatMap((id) => sourceFailureCodes.map((code) => [id, code] as const)))(
    '%s failing by %s is worded in full',
    (id, code) => {
      const words = sourceWords(
        aSource({
          id,
          tone: 'bad',
          outcome: { kind: 'failed', code, at: fromNow(-2) },
          failuresInARow: 2,
        }),
        snapshot,
        text,
      )

      for (const part of [words.title, words.badge, words.summary, words.note])
        expect(part).toMatch(/^[A-Z5]\S*(?: \S+)*$/)
      expect(JSON.stringify(words)).not.toMatch(/undefined|null|NaN|\[object/)
      for (const sentence of [words.summary, words.note]) expect(sentence).toMatch(/\.$/)
    },
  )
})

describe('vendors that are not asked', () => {
  const paused = [
    { provider: 'claude', until: fromNow(9_000), reason: 'throttled' },
    { provider: 'antigravity', until: null, reason: 'revoked' },
  ] as const

  it.each([
    {
      language: 'en',
      detail:
        'Claude is not asked until 22:30: it refused our queries (429). Antigravity is not asked before a restart or a reload: it has blocked an account.',
    },
    {
      language: 'zh-CN',
      detail:
        '22:30 之前不查询 Claude：它拒绝了我们的查询（429）。重启或重新加载之前不再查询 Antigravity：它已封禁一个账号。',
    },
  ] as const)('are named, with the end of the pause: $language', ({ language, detail }) => {
    const words = createWording('Asia/Shanghai', language)

    expect(sourceWords(aSource({ id: 'direct_quota', paused }), snapshot, words).detail).toBe(
      detail,
    )
  })

  it('stand before the failures of a failed source, and while nothing was asked yet', () => {
    const [claude] = paused
    const failed = aSource({
      id: 'direct_quota',
      outcome: { kind: 'failed', code: 'throttled', at: NOW },
      failuresInARow: 2,
      paused: [{ ...claude, reason: 'blocked' }],
    })
    const said =
      'Claude is not asked until 22:30: it answered with a page that refuses our address.'

    expect(sourceWords(failed, snapshot, text).detail).toMatch(said)
    expect(sourceWords(failed, snapshot, text).detail).toMatch('2 failures in a row')
    expect(sourceWords({ ...failed, outcome: { kind: 'pending' } }, snapshot, text).detail).toBe(
      said,
    )
  })
})
