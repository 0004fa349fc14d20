import { describe, expect, it } from 'vitest'
import { createPseudonyms } from '../pseudonyms.ts'
import { createCollectedValues } from './collected-values.ts'

const known = (...named: readonly string[]) => {
  const collected = createCollectedValues()
  for (const value of named) collected.addNamed(value)
  return collected.values().map(({ value }) => value)
}
const pseudonym = createPseudonyms({ keepMap: false }).of('secret', 'Kelp-9182xx')

describe('what a file names as a secret is known', () => {
  it.each(['Kelp-9182xx', 'correct horse 77', '483920', 'mörtel', 'on and off'])(
    'as %s',
    (value) => {
      expect(known(value)).toEqual([value])
    },
  )

  it.each([
    ...['kelp9', '48392', '123.45', '2026-11-21T17:31:00Z', '--------+--', 'administrator'],
    ...['management-key', '/etc/svc-quota-monitor/config.toml', 'unset', '       ', pseudonym],
  ])('but not %s, which would be found anywhere', (value) => {
    expect(known(value)).toEqual([])
  })

  it('once, whatever its capitals', () => {
    expect(known('Kelp-9182xx', 'KELP-9182XX')).toEqual(['Kelp-9182xx'])
  })
})

describe('what the configuration leads to is known', () => {
  const configured = (value: string) => {
    const collected = createCollectedValues()
    collected.addConfigured(value)
    return collected.values()
  }

  it.each(['blue', 'management', '12345', 'words of a key'])('however common: %s', (value) => {
    expect(configured(value)).toMatchObject([{ value }])
  })

  it.each(['abc', 'null', 'secret', 'redacted', ' x '])('but not %s', (value) => {
    expect(configured(value)).toEqual([])
  })

  it.each([
    { value: 'blue', asWord: true },
    { value: 'management', asWord: true },
    { value: '123456789', asWord: true },
    { value: 'kelp-9182', asWord: false },
    { value: 'managementkey', asWord: false },
  ])('$value counts as a word alone: $asWord', ({ value, asWord }) => {
    expect(configured(value)).toMatchObject([{ asWord }])
  })

  it('has the kind of an address where it is one', () => {
    expect(configured('ana@mail.example')).toMatchObject([{ kind: 'email' }])
  })
})

it('more values than can be remembered are counted, and those of the configuration are not', () => {
  const collected = createCollectedValues()
  for (let index = 0; index < 20; index += 1)
    collected.addNamed(`Kelp-${index} ${'x'.repeat(60_000)}`)
  expect(collected.leftOut).toBeGreaterThan(5)
  const before = collected.values().length
  collected.addConfigured('Kelp-late')

  expect(collected.values()).toHaveLength(before + 1)
})
