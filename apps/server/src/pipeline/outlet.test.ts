import { expect, it } from 'vitest'
import type { Report } from '../metrics/event-counters.ts'
import { reportAbout } from './outlet.ts'

it('what happens at a proxy names it only while it is one of several', () => {
  const heard: unknown[] = []
  const report: Report = {
    count: (count) => void heard.push(count),
    timeListRead: (...read) => void heard.push(read),
    setBacklog: () => undefined,
    setLag: () => undefined,
  }
  let isOneOfSeveral = false
  const tokyo = reportAbout(report, 'tokyo', () => isOneOfSeveral)

  tokyo.count({ counter: 'refresh_total', result: 'ok' })
  tokyo.timeListRead(1)
  isOneOfSeveral = true
  tokyo.count({ counter: 'refresh_total', result: 'ok' })
  tokyo.timeListRead(2)

  expect(heard).toEqual([
    { counter: 'refresh_total', result: 'ok' },
    [1, undefined],
    { counter: 'refresh_total', result: 'ok', upstream: 'tokyo' },
    [2, 'tokyo'],
  ])
})
