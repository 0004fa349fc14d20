import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configWith } from '@svc/config/testing'
import { noAccountsWords } from '@svc/views/messages'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { authDirVerdict } from './auth-dir-check.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'auth-dir-check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The verdict on a folder with one auth file of each of these types. */
function verdictOf(types: readonly string[], listed: readonly string[] | null = null) {
  for (const [index, type] of types.entries())
    writeFileSync(join(folder, `${index}.json`), JSON.stringify({ type }), { mode: 0o600 })
  return authDirVerdict(configWith({ authDir: folder, quotaTransport: 'auth-files' }), listed)
}

describe('the auth files of a folder', () => {
  it.each([
    { types: ['codex'], detail: '1 auth file: 1 Codex' },
    { types: ['codex', 'codex'], detail: '2 auth files: 2 Codex' },
    {
      types: ['codex', 'nobody', 'nobody-else'],
      detail: '3 auth files: 1 Codex, 2 of other providers, whose quota is not read',
    },
    {
      types: ['kimi-ai', 'kimi', 'claude', 'antigravity'],
      detail:
        '4 auth files: 1 Claude, 2 Kimi, 1 Antigravity (not asked, Google has closed accounts for such queries: quota_probe_providers must name it)',
    },
    { types: ['claude'], detail: '1 auth file: 1 Claude' },
  ])('are counted by provider: $types', async ({ types, detail }) => {
    expect(await verdictOf(types)).toMatchObject({ status: 'ok', detail })
  })

  it.each([
    { why: 'none', listed: ['other.json'], says: /^the proxy lists none of these 3 logins/ },
    { why: 'few', listed: ['0.json', 'other.json'], says: /^the proxy lists only 1 of these 3/ },
  ])('of another proxy are not ok: it lists $why', async ({ listed, says }) => {
    expect(await verdictOf(['codex', 'codex', 'codex', 'nobody'], listed)).toMatchObject({
      status: 'warn',
      code: 'unlisted_files',
      detail: expect.stringMatching(says),
    })
  })

  it.each([
    { why: 'most of them are listed', listed: ['0.json', '2.json'] },
    { why: 'the proxy does not say', listed: null },
  ])('are ok where $why', async ({ listed }) => {
    expect((await verdictOf(['codex', 'codex', 'codex', 'nobody'], listed)).status).toBe('ok')
  })

  it('of no provider whose quota can be read are useless, and what they say is not repeated', async () => {
    const verdict = await verdictOf(['nobody', 'sk-canary'])

    expect(verdict).toMatchObject({
      status: 'fail',
      code: 'no_known_files',
      detail:
        'none of 2 auth files is of an account whose quota can be read (Codex, Claude, xAI, Kimi, Antigravity)',
      hint: noAccountsWords.remedy,
    })
    expect(JSON.stringify(verdict)).not.toContain('canary')
  })
})
