import { expect, it } from 'vitest'
import type { Report } from '../metrics/event-counters.ts'
import { reportAbout } from './pipeline-events.ts'

it('what happens at a proxy names it', () => {
  const heard: unknown[] = []
  const report: Report = {
    count: (count) => void heard.push(count),
    timeListRead: (...read) => void heard.push(read),
    setBacklog: () => undefined,
    setLag: () => undefined,
  }
  const tokyo = reportAbout(report, 'tokyo')

  tokyo.count({ counter: 'refresh_total', result: 'ok' })
  tokyo.timeListRead(2)

  expect(heard).toEqual([
    { counter: 'refresh_total', result: 'ok', upstream: 'tokyo' },
    [2, 'tokyo'],
  ])
})
