import { describe, expect, it } from 'vitest'
import { settings } from './config-schema.ts'
import { resolveConfig } from './resolve-config.ts'
import { configWorld } from './testing/config-world.ts'

describe('the configuration', () => {
  it('puts each setting into the group of its consumer and nowhere else', () => {
    const { config } = resolveConfig(configWorld())
    const properties = Object.values(config).flatMap((group) => Object.keys(group))

    // Three properties have no row: the management key, never in flags or TOML, and the tables of proxies and of receivers, not a single value.
    expect(properties).toHaveLength(settings.length + 3)
    expect(config.fleet.upstreams).toEqual([])
    expect(config.notify.targets).toEqual([])
    expect(config.upstream).toHaveProperty('managementKey', null)
    expect(Object.keys(config.history).sort()).toEqual([
      'historyRetentionDays',
      'historyWriteSeconds',
      'metricsSeriesMax',
      'priceFile',
      'priceOverrides',
      'stateDb',
      'stateDbPasswordFile',
      'stateDbReplica',
      'usageRetentionDays',
    ])
  })
})
