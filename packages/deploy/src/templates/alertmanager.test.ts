import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { machineTool } from '../testing/machine-tool.ts'
import { alertmanager } from './alertmanager.ts'
import { quotaRules } from './quota-rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-alertmanager-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'alertmanager.yml'), alertmanager())

describe('the configuration of Alertmanager', () => {
  it('is taken by it', (context) => {
    expect(
      machineTool(context, 'amtool', ['check-config', 'alertmanager.yml'], folder).output,
    ).toContain('SUCCESS')
  })

  it.for([
    { severity: 'critical', receiver: 'wake' },
    { severity: 'warning', receiver: 'tell' },
  ])('sends what is $severity to $receiver', ({ severity, receiver }, context) => {
    const route = ['config', 'routes', 'test', '--config.file=alertmanager.yml']

    expect(
      machineTool(context, 'amtool', [...route, `severity=${severity}`], folder).output,
    ).toMatch(new RegExp(`^${receiver}$`, 'm'))
  })

  it('holds back only alerts that exist, and only for alerts that exist', () => {
    const named = [...alertmanager().matchAll(/alertname=~?"([\w|]+)"/g)].flatMap(
      ([, names = '']) => names.split('|'),
    )

    expect(named).toContain('QuotaNothingRoutable')
    for (const name of named) expect(quotaRules()).toContain(`- alert: ${name}\n`)
  })

  it('has a receiver for every severity that alerts have', () => {
    const severities = new Set(
      [...quotaRules().matchAll(/severity: (\w+)/g)].map(([, severity]) => severity),
    )

    expect([...severities].sort()).toEqual(['critical', 'warning'])
  })
})
