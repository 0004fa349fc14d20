import { describe, expect, it } from 'vitest'
import { settings } from './config-schema.ts'
import { envNameOf, flagOf, headingOf, propertyOf } from './setting.ts'

const settingNamed = (key: string) => {
  const setting = settings.find((candidate) => candidate.key === key)
  if (setting === undefined) throw new Error(`no setting ${key}`)
  return setting
}

describe('a setting', () => {
  it.each([
    { key: 'port', flag: 'port', env: 'SVC_QUOTA_MONITOR_PORT', property: 'port' },
    {
      key: 'weekly_to_five_hour_multiplier',
      flag: 'weekly-to-five-hour-multiplier',
      env: 'SVC_QUOTA_MONITOR_WEEKLY_TO_FIVE_HOUR_MULTIPLIER',
      property: 'weeklyToFiveHourMultiplier',
    },
    // The flag is singular because it takes one value and may be repeated.
    {
      key: 'allowed_hosts',
      flag: 'allowed-host',
      env: 'SVC_QUOTA_MONITOR_ALLOWED_HOSTS',
      property: 'allowedHosts',
    },
  ])('$key is --$flag, $env and $property', ({ key, flag, env, property }) => {
    const setting = settingNamed(key)

    expect([flagOf(setting), envNameOf(setting), propertyOf(setting)]).toEqual([
      flag,
      env,
      property,
    ])
  })

  it.each([
    { key: 'host', heading: 'Listener' },
    { key: 'upstream_url', heading: 'Proxy' },
    { key: 'weekly_to_five_hour_multiplier', heading: 'Quota' },
    { key: 'client_labels_file', heading: 'History' },
    { key: 'alert_routable_min', heading: 'Display and alerts' },
  ])('$key is listed under $heading', ({ key, heading }) => {
    expect(headingOf(settingNamed(key))).toBe(heading)
  })
})
