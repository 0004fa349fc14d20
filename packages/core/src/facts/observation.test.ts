import { expect, it } from 'vitest'
import { readSources } from './observation.ts'
import { offBecause, proxySourceIds, sourceIds } from './source.ts'

it('each source that watches the proxy is read once, under its own id', () => {
  const asked: string[] = []
  const readings = readSources((id) => {
    asked.push(id)
    return { ...offBecause('not_configured'), failuresInARow: asked.length }
  })

  expect(asked).toEqual([...proxySourceIds])
  expect(Object.keys(readings)).toEqual([...proxySourceIds])
  expect(readings.accounts.failuresInARow).toBe(asked.indexOf('accounts') + 1)
})

it('the history store is a source, but not one that watches the proxy', () => {
  expect(sourceIds.filter((id) => !proxySourceIds.some((other) => other === id))).toEqual([
    'history',
  ])
})
