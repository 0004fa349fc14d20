import { configWith } from '@svc/config/testing'
import { describe, expect, it } from 'vitest'
import { providersVerdict } from './provider-check.ts'

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
