import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientsByApiName, everything, membersOf } from './usage-members.ts'

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

const KEY = '0f'.repeat(32)
const none: ReadonlyMap<string, string> = new Map()
const idOf = (apiName: string, key = KEY) => clientsByApiName([apiName], none, key).get(apiName)?.id

describe('the clients of a proxy', () => {
  it('go by their label, which several may share', () => {
    const labels = new Map([
      ['sk-1', 'build'],
      ['sk-2', 'build'],
    ])

    expect([...clientsByApiName(['sk-1', 'sk-2'], labels, KEY).values()]).toEqual([
      { id: 'build', label: 'build' },
      { id: 'build', label: 'build' },
    ])
  })

  it('go by a fingerprint without a label, the same each time and another under another key', () => {
    expect(idOf('sk-1')).toMatch(/^client-[0-9a-f]{8}$/)
    expect(idOf('sk-1')).toBe(idOf('sk-1'))
    expect(idOf('sk-1', 'f0'.repeat(32))).not.toBe(idOf('sk-1'))
    expect(idOf('sk-1')).not.toContain('sk-1')
  })

  it('are told apart by more digits where the first eight are shared', () => {
    // These two were found by counting up: under this key their digests begin with the same eight digits.
    const names = ['sk-47412', 'sk-61998', 'sk-1']
    const clients = clientsByApiName(names, none, KEY)
    const ids = names.map((name) => clients.get(name)?.id ?? '')

    expect(new Set(ids).size).toBe(3)
    expect(new Set(ids.slice(0, 2).map((id) => id.slice(0, 'client-'.length + 8))).size).toBe(1)
    expect(ids.map((id) => id.length - 'client-'.length)).toEqual([16, 16, 8])
  })

  it('each have a name, labelled or not', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string()),
        fc.array(fc.tuple(fc.string(), fc.string())),
        (names, labels) => {
          const clients = clientsByApiName(names, new Map(labels), KEY)

          expect([...clients.keys()].sort()).toEqual([...names].sort())
        },
      ),
    )
  })
})
