import { expect, it } from 'vitest'
import { entryOf } from './usage.ts'

it('a member has one entry, made when it is first met', () => {
  const entries = new Map<string, { label: string }>()
  const create = ({ label }: { label: string }) => ({ label })
  const first = entryOf(entries, { id: 'a', label: 'first' }, create)

  expect(entryOf(entries, { id: 'a', label: 'renamed' }, create)).toBe(first)
  expect(entryOf(entries, { id: 'b', label: 'other' }, create)).toEqual({ label: 'other' })
  expect(entries.size).toBe(2)
})
