import { describe, expect, it } from 'vitest'
import { artifacts } from './artifacts.ts'
import { anInstallation } from './testing/an-installation.ts'

describe('the artifacts', () => {
  it('have ids and files of their own', () => {
    expect(new Set(artifacts.map(({ id }) => id)).size).toBe(artifacts.length)
    expect(new Set(artifacts.map(({ file }) => file)).size).toBe(artifacts.length)
  })

  it.each(artifacts)('$id holds no secret and nothing that was left out', ({ text }) => {
    const env = { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'artifact-canary-0815' }
    const made = text(anInstallation({ env }))

    expect(made).not.toMatch(/canary|undefined|\[object |\bNaN\b/)
    expect(made.endsWith('\n')).toBe(true)
  })

  it.each(artifacts)('$id is the same each time it is made', ({ text }) => {
    expect(text(anInstallation())).toBe(text(anInstallation()))
  })

  it('that name secret files are readable by their owner alone', () => {
    const ownerOnly = artifacts.filter(({ mode }) => mode === 0o600).map(({ id }) => id)

    expect(ownerOnly).toEqual(['config', 'client-labels'])
  })

  it('that systemd starts a program by are refused where it could not, and no others', () => {
    const atHome = anInstallation({ nodePath: '/home/someone/bin/node' })
    const refused = artifacts.filter(({ refusal }) => refusal(atHome) !== null)

    expect(refused.map(({ id }) => id)).toEqual(['systemd', 'backup-service'])
  })
})
