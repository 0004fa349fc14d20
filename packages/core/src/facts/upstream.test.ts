import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DEFAULT_UPSTREAM, fileKeyOf, upstreamOfFile } from './upstream.ts'

it('a key names its proxy and one file of it, in whatever folder that is', () => {
  const upstream = fc.constantFrom(DEFAULT_UPSTREAM, 'east', 'west')
  const authName = fc.constantFrom('a.json', 'east/a.json', 'default/a.json', 'east/west/a.json')
  const file = fc.tuple(upstream, authName)
  const keyOf = ([of, name]: readonly [string, string]) =>
    fileKeyOf({ upstream: of, selector: { authName: name } })
  fc.assert(
    fc.property(file, file, (one, other) => {
      expect(keyOf(one) === keyOf(other)).toBe(one.join() === other.join())
      expect(upstreamOfFile(keyOf(one))).toBe(one[0])
    }),
  )
})
