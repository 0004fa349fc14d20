import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createCollectedValues } from './collected-values.ts'
import { isEverydayWord } from './own-words.ts'

const named = (value: string) =>
  ({ start: 0, end: value.length, kind: 'secret', value, certainty: 'named' }) as const
const openapi: unknown = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
)

function namesIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(namesIn)
  if (node === null || typeof node !== 'object') return []
  const { properties, enum: codes } = node as { properties?: object; enum?: readonly unknown[] }
  const codeNames = Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []
  return [...Object.keys(properties ?? {}), ...codeNames, ...Object.values(node).flatMap(namesIn)]
}

it('every name of our interface is an everyday word', () => {
  const names = namesIn(openapi).filter(({ length }) => length >= 6)

  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !isEverydayWord(name))).toEqual([])
})

it.each([
  'header',
  'quotas',
  'accountKey',
  '12345',
  'svc-quota-monitor',
  'svc-quota-monitor-backup.service',
  '/etc/svc-quota-monitor/config.toml',
])('%s under the name of a secret is looked for nowhere else', (word) => {
  const collected = createCollectedValues()
  collected.addFound(named(word))

  expect(collected.values()).toEqual([])
})

it.each([
  'Kelp-9182xx',
  'svc-quota-monitor-Kelp9182',
  'svc-quota-monitor-kelpforest',
  'headers of mine',
  '483920',
])('%s is', (value) => {
  const collected = createCollectedValues()
  collected.addFound(named(value))

  expect(collected.values().map((known) => known.value)).toEqual([value])
})

it('what the configuration names is looked for, whatever it is', () => {
  const collected = createCollectedValues()
  collected.addConfigured('header', 'secret')

  expect(collected.values()).toHaveLength(1)
})
