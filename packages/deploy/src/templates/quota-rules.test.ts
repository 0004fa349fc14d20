import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { machineTool } from '../testing/machine-tool.ts'
import { prometheusConfig } from './prometheus-config.ts'
import { quotaRules, quotaRulesTest } from './quota-rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-rules-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'prometheus.yml'), prometheusConfig(anInstallation()))
writeFileSync(join(folder, 'quota-rules.yml'), quotaRules())
writeFileSync(join(folder, 'quota-rules.test.yml'), quotaRulesTest())

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
    const times = [...quotaRulesTest().matchAll(/eval_time: (\d+)m/g)].map(([, minutes]) =>
      Number(minutes),
    )

    expect(times).toHaveLength(2 * holds.length)
    for (const [index, minutes] of holds.entries())
      expect(times[2 * index], alertNames[index]).toBeGreaterThan(minutes)
  })
})
