import { type VirtualClock, virtualClock } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createPublishedGauges, type PublishedGauges } from './published-gauges.ts'

let clock: VirtualClock
let published: PublishedGauges
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  published = createPublishedGauges('x_', clock)
})

const accounts = (plan: string, value: number) => ({
  name: 'accounts',
  samples: [{ labels: { plan }, value }],
})
const linesOf = async (name: string) =>
  (await published.text()).split('\n').filter((line) => line.startsWith(name))

describe('published gauges', () => {
  it('are named and without a value before the first publication', async () => {
    expect(await published.text()).toContain('# TYPE x_accounts gauge')
    expect(await linesOf('x_accounts{')).toEqual([])
  })

  it('have the values of the newest publication and none of those before', async () => {
    published.publish([accounts('plus', 3), { name: 'top_routing_score', samples: [{ value: 7 }] }])
    published.publish([accounts('pro', 1), { name: 'top_routing_score', samples: [] }])

    expect(await linesOf('x_accounts{')).toEqual(['x_accounts{plan="pro"} 1'])
    expect(await linesOf('x_top_routing_score')).toEqual([])
  })

  it('keep the value of a gauge that a publication does not mention', async () => {
    published.publish([accounts('plus', 3)])
    published.publish([{ name: 'top_routing_score', samples: [{ value: 7 }] }])

    expect(await linesOf('x_accounts{')).toEqual(['x_accounts{plan="plus"} 3'])
  })

  it('leave out a gauge that this version does not know', async () => {
    published.publish([{ name: 'of_tomorrow', samples: [{ value: 1 }] }])

    expect(await published.text()).not.toContain('of_tomorrow')
  })

  it('are the same text for every scrape of a publication', async () => {
    published.publish([accounts('plus', 3)])
    const first = await published.text()
    await clock.advance(20_000)

    expect(await published.text()).toBe(first)
  })

  it('are read anew when nothing was published for long, so that the process stays visible', async () => {
    published.publish([accounts('plus', 3)])
    const cpuLines = () => linesOf('process_cpu_user_seconds_total')
    const [first] = await cpuLines()
    await clock.advance(20_001)
    while (process.cpuUsage().user / 1e6 < Number(first?.split(' ')[1]) + 0.01);

    expect(await cpuLines()).not.toEqual([first])
    expect(await linesOf('x_accounts{')).toEqual(['x_accounts{plan="plus"} 3'])
  })

  it('leave out the defaults of prom-client that promtool rejects', async () => {
    const text = await published.text()

    expect(text).toContain('nodejs_eventloop_lag_p99_seconds')
    expect(text).not.toMatch(/nodejs_active_\w+_total|lag_mean|lag_stddev/)
  })
})
