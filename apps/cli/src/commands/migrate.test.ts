import type { MoveResult } from '@svc/history'
import { describe, expect, it } from 'vitest'
import { moveResultText } from './migrate.ts'

const amounts = (requests: number) => ({ requests, tokens: 10 * requests, failed: 0 })
const difference = (day: number): MoveResult['differences'][number] => ({
  startMs: Date.UTC(2026, 10, day),
  of: 'rows',
  count: 1,
  file: amounts(3),
  database: amounts(2),
})
const firstLine = (result: MoveResult) => moveResultText(result).split('\n')[0]

describe('result of migrate-history', () => {
  it('counts one and many', () => {
    expect(firstLine({ days: 1, added: 1, differences: [] })).toBe(
      '1 day compared, 1 usage row added. No differences.',
    )
    expect(firstLine({ days: 2, added: 0, differences: [difference(1)] })).toBe(
      '2 days compared, 0 usage rows added. 1 difference:',
    )
  })

  it('says how to change over only where both sides agree', () => {
    expect(moveResultText({ days: 2, added: 5, differences: [] })).toContain('To change over:')
    expect(moveResultText({ days: 2, added: 5, differences: [difference(1)] })).toBe(
      '2 days compared, 5 usage rows added. 1 difference:\n2026-11-01, requests (1 differ): 3 requests with 30 tokens and 0 failures in the file, 2 requests with 20 tokens and 0 failures in the database\n',
    )
  })

  it('tells forty days apart, and counts the rest', () => {
    const differences = Array.from({ length: 43 }, (_, index) => difference(index + 1))
    const lines = moveResultText({ days: 43, added: 0, differences }).trimEnd().split('\n')
    expect(lines).toHaveLength(42)
    expect(lines.at(-1)).toBe('and 3 more')
  })
})
