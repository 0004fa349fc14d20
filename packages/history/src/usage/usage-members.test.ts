import { describe, expect, it } from 'vitest'
import { everything, membersOf } from './usage-members.ts'

const CLIENTS = { labels: new Map([['sk-1', 'Team']]), fingerprintKey: '00ff' }

describe('the members of a group', () => {
  it('are called by their label, under what they stand for', () => {
    const members = membersOf('account', [[3, 'key-of-ann', 'Ann']], CLIENTS)

    expect([...members]).toEqual([[3, { id: 'key-of-ann', label: 'Ann' }]])
    expect([...everything.values()]).toEqual([{ id: 'total', label: 'Total' }])
  })

  it('that are clients have a label or a fingerprint, never their key', () => {
    const members = membersOf(
      'client',
      [
        [1, 'sk-1', 'sk-1'],
        [2, 'sk-2', 'sk-2'],
      ],
      CLIENTS,
    )

    expect(members.get(1)).toEqual({ id: 'Team', label: 'Team' })
    expect(members.get(2)?.id).toMatch(/^client-[0-9a-f]{8}$/)
  })

  it('that are endpoints keep the name the proxy gives them', () => {
    expect(membersOf('api', [[1, 'sk-1', 'sk-1']], CLIENTS).get(1)?.id).toBe('sk-1')
  })

  it('that are providers have a name of their own', () => {
    expect(membersOf('provider', [[1, 'codex', 'codex']], CLIENTS).get(1)?.label).not.toBe('codex')
  })
})
