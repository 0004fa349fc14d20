import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientsByApiName } from './client-names.ts'

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
