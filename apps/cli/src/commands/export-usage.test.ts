import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs, instantToIso } from '@svc/core'
import { fixedClock } from '@svc/core/testing'
import { openHistory } from '@svc/history'
import { ownDatabases, whyNoPostgres } from '@svc/history/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cli } from '../testing/run-for-test.ts'

const at = (day: number, month = 9) => epochMs(Date.UTC(2026, month, day, 23, 59, 59, 999))
const NOW = at(15, 10)
const folder = mkdtempSync(join(tmpdir(), 'svc-export-usage-'))
const labels = join(folder, 'labels.json')
const databases = ownDatabases()
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await databases.remove()
})

const request = (number: number, when: number, more: object = {}) => ({
  at: epochMs(when),
  key: BigInt(number),
  accountKey: `account-${number % 2}`,
  apiName: ['sk-one', 'sk-two', 'sk-three'][number % 3] ?? '',
  model: '=gpt',
  tokens: 100,
  classes: { tokensIn: 60, tokensCached: 10, tokensWritten: 0, tokensOut: 30 },
  failed: false,
  ...more,
})
/** A month of three clients, an hour of it not watched, whose single requests are gone; and requests on both sides of it. */
async function fill(location: string): Promise<void> {
  const store = await openHistory(location)
  const usage = store.usageOf('default')
  const details = [
    request(1, at(30, 8)),
    ...[3, 4, 5, 6, 7].map((number) => request(number, at(number))),
    request(8, at(8), { classes: null, failed: true, tokens: 7 }),
    request(9, at(31) + 1),
  ]
  await usage.record(
    { receivedAt: NOW, details, quarantined: [], saturatedCount: 0 },
    { lastPollAt: NOW, treeRequests: null },
  )
  await usage.nameAccounts(new Map([['account-0', '+ada@example.com']]))
  const from = at(10)
  await usage.recordGap({ from, to: epochMs(from + 3_600_000), reason: 'batch_lost' })
  while (await store.retain({ usageDays: 3, historyDays: 90 }, { asOf: NOW, rowsMax: 99 })) {}
  await store.close()
}

describe.each([
  ['sqlite', null, async () => join(folder, 'history.db')] as const,
  ['postgres', whyNoPostgres(), () => databases.nextAddress()] as const,
])('export-usage of %s', (_, whyNot, locate) => {
  let store = ''
  beforeAll(async () => {
    if (whyNot !== null) return
    store = await locate()
    await fill(store)
    const clients = ['sk-one', 'sk-three'].map((apiName) => ({ apiName, label: 'Team, A' }))
    writeFileSync(labels, JSON.stringify({ clients }), { mode: 0o600 })
  })
  beforeEach((context) => {
    if (whyNot !== null) context.skip(whyNot)
  })
  const run = (...args: readonly string[]) =>
    cli(['export-usage', '--state-db', store, '--config', 'off', ...args], {
      clock: fixedClock(NOW),
      cwd: folder,
    })

  it('answers any time by two dimensions, for each month, of some members alone', async () => {
    const { code, stdout, stderr } = await run(
      ...['--from', '2026-10-01', '--by', 'client,model', '--each', 'month'],
      ...['--filter', 'client=Team, A', '--filter', 'provider=codex'],
      ...['--client-labels-file', labels],
    )

    expect([code, stdout.split('\r\n')[0]]).toEqual([
      0,
      'from,to,client,model,requests,failed,tokens,tokens_in,tokens_cached,tokens_written,tokens_out,tokens_unclassified,watched_percent',
    ])
    expect(stderr).toContain('2026-10-01T00:00:00.000Z to ')
    for (const filter of ['clinet=X', 'client', 'client=', 'from=2026-10-02'])
      expect(await run('--from', '2026-10-01', '--filter', filter)).toMatchObject({
        ...{ code: 2, stdout: '' },
        stderr: expect.stringMatching(/--filter: .* names are account, client, /),
      })
    expect(await run('--from', 'noon')).toMatchObject({ code: 2, stderr: /--from: / })
  })

  it('sums a month of UTC by the labels of clients, and says what may be missing', async () => {
    const { code, stdout, stderr } = await run('--month', '2026-10', '--client-labels-file', labels)

    expect(stdout.replace(/client-[0-9a-f]{8}/, 'client-########')).toBe(
      [
        'month,client,requests,failed,tokens,tokens_in,tokens_cached,tokens_written,tokens_out,tokens_unclassified,watched_percent',
        '2026-10,"Team, A",4,1,307,180,30,0,90,7,99.86',
        '2026-10,client-########,2,0,200,120,20,0,60,0,99.86',
        '',
      ].join('\r\n'),
    )
    expect(stderr).toBe(
      '2026-10, by days of UTC, until 2026-11-01T00:00:00.000Z; in 60 of its 44640 min requests may be missing.\n',
    )
    expect(code).toBe(0)
  })

  it('tells the cost where prices are set, and of which tokens there is none', async () => {
    const own = join(folder, 'prices.toml')
    writeFileSync(own, '[[rate]]\nmodel = "=gpt"\ninput = 5\noutput = 30\n', { mode: 0o600 })
    const month = await run('--month', '2026-10', '--by', 'model', '--price-overrides', own)
    const lines = month.stdout.split('\r\n')

    expect(lines[0]).toMatch(/,watched_percent,cost_usd,unpriced_tokens$/)
    // Five requests of 70 input and 30 output tokens, and one of 7 tokens of unknown classes.
    expect(lines[1]).toMatch(/,99\.86,0\.006250000,7$/)
    const day = ['--from', '2026-11-01', '--by', 'model', '--format', 'jsonl']
    const { stdout } = await run(...day, '--price-overrides', own)
    expect(JSON.parse(stdout)).toMatchObject({ costUsd: 0.00125, unpricedTokens: 0 })
    writeFileSync(own, 'rate = 1', { mode: 0o600 })
    expect(await run(...day, '--price-overrides', own)).toMatchObject({ code: 2 })
  })

  it('of a month that is not over ends now, and hides keys without labels', async () => {
    const { stdout, stderr } = await run('--month', '2026-11', '--format', 'jsonl')

    expect(JSON.parse(stdout)).toMatchObject({
      month: '2026-11',
      client: expect.stringMatching(/^client-[0-9a-f]{8}$/),
      requests: 1,
      tokens: 100,
      watchedPercent: 100,
    })
    expect(stderr).toContain(`until ${instantToIso(NOW)}; all of it was watched; without client`)
  })

  it('of a month whose gaps are forgotten says that what is missing is not known', async () => {
    const { stdout, stderr } = await run('--month', '2026-08', '--by', 'model')
    const september = await run('--month', '2026-09', '--by', 'model')

    expect(stdout.split('\r\n').slice(1)).toEqual([''])
    expect(stderr).toContain('is not known: gaps are kept for 90 days')
    expect(september.stdout).toMatch(/\r\n2026-09,%3Dgpt,1,0,100,.*,\d+(\.\d+)?\r\n$/)
  })

  it('by account or model has harmless cells, into a file that is new', async () => {
    const file = join(folder, `${store.length}.csv`)
    expect(await run('--month', '2026-10', '--by', 'account', '--output', file)).toMatchObject({
      code: 0,
      stdout: '',
    })
    expect(readFileSync(file, 'utf8')).toContain(
      "2026-10,account-0,'+ada@example.com,3,1,207,120,20,0,60,7,99.86\r\n2026-10,account-1,account-1,3,",
    )
    expect(await run('--month', '2026-10', '--output', file)).toMatchObject({ code: 2 })
    expect((await run('--month', '2026-10', '--by', 'model')).stdout).toContain('2026-10,%3Dgpt,6,')
  })

  it.each([
    [['--month', '2026-13'], /--month: a month as 2026-10 is needed/],
    [[], /--month: a month as 2026-10 is needed/],
    [['--month', '2026-12'], /--month: 2026-12 has not begun/],
    [['--month', '2026-10', '--by', 'api'], /--by: one of client, account, model is needed/],
    [['--month', '2026-10', '--client-labels-file', '/nowhere.json'], /client-label file/],
  ])('refuses %j in one line', async (args, expected) => {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({
      code: 2,
      stdout: '',
      lines: 2,
    })
    expect(stderr).toMatch(expected)
  })
})
