import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configWith, type SettingsByName } from '@svc/config/testing'
import { Redacted } from '@svc/core/service'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { managementKeyOf, providersVerdict } from './key-check.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-key-check-'))
  file = join(folder, 'key')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const judged = (changes: Partial<SettingsByName>) => managementKeyOf(configWith(changes))
const written = (text: string, mode = 0o600) => {
  writeFileSync(file, text, { mode })
  chmodSync(file, mode)
  return judged({ managementKeyFile: file })
}

describe('the management key', () => {
  it('of the file is sent as written, without the line break', async () => {
    const { key, verdict } = await written('sk-right\n')

    expect(key?.reveal()).toBe('sk-right')
    expect(verdict).toMatchObject({ status: 'ok', detail: `from the file ${file}` })
  })

  it('of the environment wins, and the file is not read', async () => {
    const { key, verdict } = await judged({
      managementKey: new Redacted('sk-env'),
      managementKeyFile: join(folder, 'gone'),
    })

    expect(key?.reveal()).toBe('sk-env')
    expect(verdict.detail).toMatch(
      /^from the variable SVC_QUOTA_MONITOR_MANAGEMENT_KEY, which wins: \S+ is not read while it is set$/,
    )
  })

  it.each(['tokenkey', 'key=', 'a"b', 'sk-key-of-ana', '$2a$10$short'])(
    'that only resembles a mistake is sent: %s',
    async (text) => {
      expect((await written(text)).key?.reveal()).toBe(text)
    },
  )
})

const detailOf = (
  providers: readonly string[],
  settings: Parameters<typeof configWith>[0] = {},
): readonly string[] => providersVerdict(configWith(settings), providers).detail.split('; ')

describe('the providers of a list', () => {
  it('are named with their numbers in display order, those of one label together', () => {
    expect(detailOf(['kimi', 'claude', 'kimi-ai', 'codex', 'claude'])).toEqual([
      '1 Codex: asked for quota',
      '2 Claude: asked for quota',
      '2 Kimi: asked for quota',
    ])
  })

  it.each([
    ['antigravity', {}, /^1 Antigravity: not asked, Google has closed accounts/],
    ['antigravity', { quotaProbeProviders: ['antigravity'] }, /^1 Antigravity: asked for quota$/],
    ['xai', { quotaProbeProviders: ['codex'] }, /^1 xAI: not asked, not in quota_probe_/],
    ['kimi-ai', { quotaProbeProviders: ['codex'] }, /^1 Kimi: not asked, not in quota_probe_/],
    ['claude', { quotaTransport: 'off' }, /^1 Claude: not asked, quota_transport is off$/],
    ['kiro', { quotaTransport: 'off' }, /^1 Kiro: not asked, no query of the vendor is known/],
    ['constructor', {}, /^1 Constructor: not asked, no query of the vendor is known/],
  ] as const)('say of %s with %j why it is asked or not', (provider, settings, said) => {
    expect(providersVerdict(configWith(settings), [provider])).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(said),
    })
  })

  it('are not all named where the proxy has very many', () => {
    const many = Array.from({ length: 30 }, (_, index) => `vendor-${index}`)

    expect(detailOf(many)).toHaveLength(13)
    expect(detailOf(many).at(-1)).toBe('18 of more providers')
  })

  it('are not judged where there are none', () => {
    expect(providersVerdict(configWith({}), [])).toMatchObject({ status: 'skip' })
  })
})
