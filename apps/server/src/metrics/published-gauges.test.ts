import { beforeEach, describe, expect, it } from 'vitest'
import { createPublishedGauges, type PublishedGauges } from './published-gauges.ts'

let published: PublishedGauges
beforeEach(() => {
  published = createPublishedGauges('x_')
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

    expect(await published.text()).toBe(first)
  })
})
