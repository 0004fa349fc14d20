import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { machineTool } from '../testing/machine-tool.ts'
import { prometheusConfig } from './alertmanager.ts'
import { quotaRules, quotaRulesTest } from './quota-rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-rules-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'prometheus.yml'), prometheusConfig(anInstallation()))
writeFileSync(join(folder, 'quota-rules.yml'), quotaRules())
writeFileSync(join(folder, 'quota-rules.test.yml'), quotaRulesTest())

const leftAt = (
  provider: string,
  units: Readonly<Record<'known' | 'unknown' | 'tracked', number>>,
) =>
  Object.fromEntries(
    Object.entries(units).map(([part, value]) => [
      `provider_capacity_${part}_units{instance="m",provider="${provider}",window="week"}`,
      value,
    ]),
  )

const alertNames = [...quotaRules().matchAll(/- alert: (\w+)\n/g)].map(([, name = '']) => name)

describe('the alerts', () => {
  it('are evaluated and sent by a configuration that Prometheus takes', (context) => {
    expect(readFileSync(join(folder, 'prometheus.yml'), 'utf8')).toMatch(
      /alertmanagers:[\s\S]*127\.0\.0\.1:9093/,
    )
    expect(machineTool(context, 'promtool', ['check', 'config', 'prometheus.yml'], folder)).toEqual(
      expect.objectContaining({ status: 0 }),
    )
  })

  it('fire and are silent as their tests say', (context) => {
    expect(
      machineTool(context, 'promtool', ['test', 'rules', 'quota-rules.test.yml'], folder).output,
    ).toContain('SUCCESS')
  })

  it.for([
    {
      alert: 'QuotaNothingRoutable',
      of: 'a provider, while others have accounts',
      series: {
        'snapshot_available{instance="m"}': 1,
        'routable_accounts{instance="m"}': 3,
        'provider_accounts{instance="m",provider="claude"}': 2,
        'provider_routable_accounts{instance="m",provider="codex"}': 3,
        'provider_routable_accounts{instance="m",provider="claude"}': 0,
      },
      fires: ['claude'],
    },
    {
      alert: 'QuotaNothingRoutable',
      of: 'no provider where Codex has no account and none is missed',
      series: {
        'snapshot_available{instance="m"}': 1,
        'routable_accounts{instance="m"}': 0,
        'provider_accounts{instance="m",provider="kimi"}': 2,
        'provider_routable_accounts{instance="m",provider="kimi"}': 2,
      },
      fires: [],
    },
    {
      alert: 'QuotaNothingRoutable',
      of: 'Codex, of a monitor that lists no account',
      series: {
        'snapshot_available{instance="m"}': 1,
        'routable_accounts{instance="m"}': 0,
      },
      fires: ['codex'],
    },
    {
      alert: 'QuotaCapacityLow',
      of: 'a provider with enough readings',
      series: {
        'capacity_usable_plus_units{instance="m",window="week"}': 20,
        'capacity_tracked_plus_units{instance="m",window="week"}': 40,
        ...leftAt('codex', { known: 1, unknown: 0, tracked: 40 }),
        ...leftAt('claude', { known: 1, unknown: 2, tracked: 40 }),
        ...leftAt('xai', { known: 0, unknown: 3, tracked: 4 }),
        ...leftAt('kimi', { known: 1, unknown: 0, tracked: 4 }),
      },
      fires: ['claude'],
    },
  ])('have $alert for $of', ({ alert, series, fires }, context) => {
    const input = Object.entries(series).map(
      ([name, value]) =>
        `{series: ${JSON.stringify(`svc_quota_monitor_${name}`)}, values: '${value}x30'}`,
    )
    const samples = fires.map((provider) => `{labels: '{provider="${provider}"}', value: 1}`)
    writeFileSync(
      join(folder, 'mixed.test.yml'),
      `rule_files: [quota-rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series: [${input.join(', ')}]
    promql_expr_test:
      - expr: count by (provider) (ALERTS{alertname="${alert}",alertstate="firing"})
        eval_time: 20m
        exp_samples: [${samples.join(', ')}]
`,
    )

    expect(
      machineTool(context, 'promtool', ['test', 'rules', 'mixed.test.yml'], folder).output,
    ).toContain('SUCCESS')
  })

  it.each([
    'QuotaGatewayDown',
    'QuotaKeyRefused',
    'QuotaHistoryFailing',
    'QuotaSecondReader',
    'QuotaNeedsYou',
  ])('have %s', (name) => {
    expect(alertNames).toContain(name)
  })

  it.each(alertNames)('have a case in which %s fires and one in which it does not', (name) => {
    for (const ends of ['fires', 'is silent'])
      expect(quotaRulesTest().split(`"${name} ${ends}"`)).toHaveLength(2)
  })

  it('have names of their own', () => {
    expect(new Set(alertNames).size).toBe(alertNames.length)
  })

  it('are tested long enough after the trouble begins for each to fire', () => {
    // A test evaluated before the alert's `for` has passed could never fire.
    const holds = [...quotaRules().matchAll(/for: (\d+)m/g)].map(([, minutes]) => Number(minutes))
    const timesOf = (name: string) =>
      Number(new RegExp(`"${name}"[^]*?eval_time: (\\d+)m`).exec(quotaRulesTest())?.[1])

    for (const [index, minutes] of holds.entries())
      expect(timesOf(`${alertNames[index]} fires`), alertNames[index]).toBeGreaterThan(minutes)
  })

  it('of two minutes or more go on over a restart, and have cases of it', () => {
    const rules = [...quotaRules().matchAll(/- alert: (\w+)\n {8}expr: (.*)\n {8}for: (\d+)m/g)]
    expect(rules).toHaveLength(alertNames.length)
    for (const [, name, expr, minutes] of rules)
      expect(expr?.startsWith('"last_over_time('), name).toBe(Number(minutes) >= 2)

    for (const when of ['fires over a restart', 'is silent where the trouble ends'])
      expect(quotaRulesTest()).toContain(`"QuotaHistoryFailing ${when}"`)
  })

  it('count without a plural that is wrong for one', () => {
    expect(quotaRules()).not.toMatch(/\{\{ \$value \}\} [a-z]+s\b/)
  })
})
