import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEventRing, eventText } from './event-ring.ts'

const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()
const idOf = (bytes: Uint8Array) => Number(/^id: (\d+)\n/.exec(textOf(bytes))?.[1])

/** A ring with everything it has handed to its listener. */
function aRing(startId = 1_000) {
  const ring = createEventRing(startId)
  const heard: Uint8Array[] = []
  ring.onEvent((bytes) => heard.push(bytes))
  return { ring, heard }
}

it('an event is sent with its id, its name and its data on one line', () => {
  const { ring, heard } = aRing(7)
  ring.add(eventText({ event: 'change', data: { title: 'two\nlines' } as never }))

  expect(textOf(heard[0])).toBe('id: 8\nevent: change\ndata: {"title":"two\\nlines"}\n\n')
})

it('who resumes gets each change that came since, and the newest snapshot, in the order of their ids', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('add', 'addSnapshot'), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (steps, cut) => {
        const { ring, heard } = aRing()
        for (const [index, step] of (steps as ('add' | 'addSnapshot')[]).entries())
          ring[step](`${step} ${index}`)
        const last = heard[cut % heard.length] as Uint8Array
        const latest = heard.findLast((bytes) => textOf(bytes).includes('addSnapshot'))
        const missed = heard
          .slice(heard.indexOf(last) + 1)
          .filter((bytes) => bytes === latest || !textOf(bytes).includes('addSnapshot'))
        expect(ring.after(String(idOf(last)))).toEqual(missed)
        expect(heard.map(idOf)).toEqual(heard.map((_, index) => 1_001 + index))
      },
    ),
  )
})

it.each([
  ['no id', undefined],
  ['an id that is none', '1001; drop'],
  ['an id of an earlier process', '999'],
  ['an id of a later time', '1005'],
])('who comes with %s begins with the newest snapshot', (_, id) => {
  const { ring, heard } = aRing()
  ring.addSnapshot('snapshot 1')
  ring.add('change')
  ring.addSnapshot('snapshot 2')

  expect(ring.after(id)).toEqual([heard[2]])
})

it('1,000 events are kept: who has missed more begins afresh', () => {
  const { ring, heard } = aRing()
  ring.addSnapshot('snapshot')
  for (let count = 0; count <= 1_000; count += 1) ring.add('change')

  expect(ring.after('1002')).toHaveLength(1_000)
  expect(ring.after('1001')).toEqual([heard[0]])
})

it('nobody resumes across a gap, though the ids go on', () => {
  const { ring, heard } = aRing()
  ring.add('change 1')
  ring.interrupt()
  expect(ring.after('1001')).toEqual([])
  ring.addSnapshot('snapshot')
  ring.add('change 2')

  expect(ring.after('1001')).toEqual([heard[1]])
  expect(ring.after(String(idOf(heard[1] as Uint8Array)))).toEqual([heard[2]])
})
