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
const BCRYPT = `$2a$10$${'a'.repeat(53)}`

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

  it('that is not set fails', async () => {
    expect(await judged({})).toMatchObject({
      key: null,
      verdict: { status: 'fail', code: 'not_set' },
    })
  })

  it.each([
    { code: 'hashed_key', text: BCRYPT },
    { code: 'hashed_key', text: `"${BCRYPT}"` },
    { code: 'quoted_key', text: '"sk-right"' },
    { code: 'quoted_key', text: '`sk-right`' },
    { code: 'named_key', text: 'secret-key: sk-right' },
    { code: 'named_key', text: 'export MANAGEMENT_KEY=sk-right' },
    { code: 'bearer_key', text: 'Bearer sk-right' },
    { code: 'placeholder_key', text: '<your key>' },
    { code: 'placeholder_key', text: '$MANAGEMENT_KEY' },
  ])('that reads $text is never sent, nor shown: $code', async ({ code, text }) => {
    const { key, verdict } = await written(text)

    expect(key).toBeNull()
    expect(verdict).toMatchObject({ status: 'fail', code })
    expect(JSON.stringify(verdict)).not.toContain('sk-right')
  })

  it.each(['tokenkey', 'key=', 'a"b', 'sk-key-of-ana', '$2a$10$short'])(
    'that only resembles a mistake is sent: %s',
    async (text) => {
      expect((await written(text)).key?.reveal()).toBe(text)
    },
  )

  it('that others can read is sent with a warning', async () => {
    const { key, verdict } = await written('sk-right', 0o644)

    expect(key).not.toBeNull()
    expect(verdict).toMatchObject({ status: 'warn', code: 'readable_by_others' })
  })

  it.each([
    { what: 'is not there', make: () => undefined },
    { what: 'is empty', make: () => writeFileSync(file, '\n', { mode: 0o600 }) },
    { what: 'can be written by others', make: () => void written('sk-right', 0o622) },
  ])('whose file $what fails, with the file named', async ({ make }) => {
    make()
    const { key, verdict } = await judged({ managementKeyFile: file })

    expect(key).toBeNull()
    expect(verdict.status).toBe('fail')
    expect(verdict.detail).toContain(`the file ${file}: `)
  })
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
