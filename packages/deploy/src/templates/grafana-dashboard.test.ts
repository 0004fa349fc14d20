import { describe, expect, it } from 'vitest'
import { grafanaDashboard } from './grafana-dashboard.ts'

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly repeat?: string
  readonly targets: readonly { readonly refId: string; readonly expr: string }[]
}

const { panels } = JSON.parse(grafanaDashboard()) as { readonly panels: readonly Panel[] }

describe('the dashboard of Grafana', () => {
  it('keeps its panels within 24 columns, and none covers another', () => {
    const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
      expect(x + w, title).toBeLessThanOrEqual(24)
      return Array.from(
        { length: w * h },
        (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`,
      )
    })

    expect(new Set(cells).size).toBe(cells.length)
  })

  it('fills every row but the last before it begins another', () => {
    const widths = new Map<number, number>()
    for (const { gridPos } of panels)
      widths.set(gridPos.y, (widths.get(gridPos.y) ?? 0) + gridPos.w)

    expect([...widths.values()].slice(0, -1)).toEqual(
      Array.from({ length: widths.size - 1 }, () => 24),
    )
  })

  it('has panels and queries that Grafana can tell apart', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { targets, title } of panels)
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length)
  })

  it('draws a panel for each provider below all others, which it would cover', () => {
    expect(panels.filter(({ repeat }) => repeat !== undefined)).toEqual([panels.at(-1)])
    expect(panels.at(-1)?.targets[0]?.expr).toContain('{provider="$provider"}')
    expect(grafanaDashboard()).toContain(
      'label_values(svc_quota_monitor_provider_accounts, provider)',
    )
  })

  it('asks the data source that is chosen when it is imported', () => {
    expect(grafanaDashboard()).toContain(`"uid": "\${datasource}"`)
  })
})
