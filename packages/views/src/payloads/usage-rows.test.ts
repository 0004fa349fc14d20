import { epochMs } from '@svc/core'
import type { UsageRequest } from '@svc/core/usage'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { usageRowLines, usageRowSchema, usageRowsHead } from './usage-rows.ts'

const told: UsageRequest = {
  at: epochMs(Date.UTC(2026, 9, 3, 4, 5, 6, 789)),
  account: { id: '9d4174130d4bb272', label: 'ada@example.com' },
  client: { id: 'CI runners', label: 'CI runners' },
  model: 'gpt-5.5',
  provider: 'codex',
  upstream: 'second',
  tokens: 30,
  classes: { tokensIn: 10, tokensCached: 0, tokensWritten: 5, tokensOut: 15 },
  latencyMs: 2_000,
  firstTokenMs: 0,
  failed: true,
  failure: 'failedLimit',
  tier: 'priority',
  cost: { units: 10_000_000n, unpricedTokens: 0, assumedTokens: 0 },
  unpriced: null,
}
const untold: UsageRequest = {
  ...told,
  upstream: 'default',
  classes: null,
  latencyMs: null,
  firstTokenMs: null,
  failed: false,
  failure: null,
  tier: null,
  cost: { units: 0n, unpricedTokens: 30, assumedTokens: 0 },
  unpriced: 'classes',
}

it('a request is a row of CSV, where what is unknown is empty and not zero', () => {
  expect(usageRowsHead('csv') + usageRowLines([told, untold], 'csv')).toBe(
    [
      'at,account_key,account_title,client,model,provider,upstream,tokens,tokens_in,tokens_cached,tokens_written,tokens_out,latency_ms,first_token_ms,failed,failure,tier,cost_usd,unpriced',
      '2026-10-03T04:05:06.789Z,9d4174130d4bb272,ada@example.com,CI runners,gpt-5.5,codex,second,30,10,0,5,15,2000,0,true,failed_limit,priority,0.000000001,',
      '2026-10-03T04:05:06.789Z,9d4174130d4bb272,ada@example.com,CI runners,gpt-5.5,codex,,30,,,,,,,false,,,,classes',
      '',
    ].join('\r\n'),
  )
})

it('a request is a line of JSON with the same members', () => {
  const lines = usageRowLines([told, untold], 'jsonl').split('\n')
  const [first, second] = lines.slice(0, 2).map((line) => v.parse(usageRowSchema, JSON.parse(line)))

  expect(usageRowsHead('jsonl')).toBe('')
  expect(lines).toHaveLength(3)
  expect(first).toMatchObject({
    upstream: 'second',
    tokensCached: 0,
    failure: 'failed_limit',
    costUsd: 1e-9,
  })
  expect(second).toMatchObject({ upstream: null, tokensCached: null, failed: false, costUsd: null })
})

it('no cell is a formula, nor ends its row', () => {
  const label = '=cmd|"/C calc"\r\n!A0'
  const evil = { ...told, account: { id: '+1', label }, client: { id: label, label }, model: '@x' }
  const [row = ''] = usageRowLines([evil], 'csv').split(/\r\n(?=$)/)

  const cells = row.match(/"(?:[^"]|"")*"|[^,]+/g) ?? []
  expect(cells).toHaveLength(18)
  expect(cells.filter((cell) => /^"?[=+\-@]/.test(cell))).toEqual([])
})

it('a page in JSON is its requests with commas between', () => {
  expect(JSON.parse(`[${usageRowLines([told, untold], 'json')}]`)).toHaveLength(2)
  expect(usageRowLines([], 'json')).toBe('')
})
