import { describe, expect, it } from 'vitest'
import { settings } from './config-schema.ts'
import { resolveConfig } from './resolve-config.ts'
import { configWorld } from './testing/config-world.ts'

describe('the configuration', () => {
  it('puts each setting into the group of its consumer and nowhere else', () => {
    const { config } = resolveConfig(configWorld())
    const properties = Object.values(config).flatMap((group) => Object.keys(group))

    // The management key is in no row: it is never a flag and never in TOML. Neither are the tables of several proxies, which are no one value.
    expect(properties).toHaveLength(settings.length + 2)
    expect(config.fleet.upstreams).toEqual([])
    expect(config.upstream).toHaveProperty('managementKey', null)
    expect(Object.keys(config.history).sort()).toEqual([
      'historyRetentionDays',
      'historyWriteSeconds',
      'stateDb',
      'stateDbPasswordFile',
      'stateDbReplica',
      'usageRetentionDays',
    ])
  })
})
