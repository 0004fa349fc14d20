import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configWith, type SettingsByName } from '@svc/config/testing'
import { Redacted } from '@svc/core/service'
import { openHistory } from '@svc/history'
import { ownDatabases, whyNoPostgres } from '@svc/history/testing'
import type { CollectedValues } from '@svc/redact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectConfigured } from './secret-sources.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-secret-sources-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const written = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** The collected values, and the unreadable sources. */
async function collected(
  changes: Partial<SettingsByName>,
  env: Readonly<Record<string, string>> = {},
) {
  const values: string[] = []
  const problems = await collectConfigured(
    configWith({ stateDb: null, ...changes }),
    env,
    {
      addConfigured: (value: string) => void values.push(value),
    } as unknown as CollectedValues,
    new AbortController().signal,
  )
  return { values, problems }
}

describe('the secrets of a configuration', () => {
  it('are empty where it names none', async () => {
    expect(await collected({})).toEqual({ values: [], problems: [] })
  })

  it('are the key of the environment, whose file is then not read', async () => {
    const { values, problems } = await collected({
      managementKey: new Redacted('sk-env'),
      managementKeyFile: join(folder, 'gone'),
    })

    expect(values).toContain('sk-env')
    expect(problems).toEqual([])
  })

  it.each([
    { what: 'alone on a line', text: 'sk-key\n', secret: 'sk-key' },
    { what: 'in quotes', text: '"sk-key"', secret: 'sk-key' },
    { what: 'behind a name', text: 'export KEY=sk-key', secret: 'sk-key' },
    { what: 'behind a name, in quotes', text: "key: 'sk key'", secret: 'sk key' },
    { what: 'on the second line', text: 'old\r\nsk-key\r\n', secret: 'sk-key' },
    { what: 'as UTF-16', text: Buffer.from('\ufeffsk-key', 'utf16le'), secret: 'sk-key' },
    { what: 'behind a mark of UTF-8', text: '\ufeffsk-key', secret: 'sk-key' },
  ])('are the key of a file: $what', async ({ text, secret }) => {
    const { values } = await collected({ managementKeyFile: written('key', text) })

    expect(values).toContain(secret)
  })

  it('are name and password of an address, as they are and decoded', async () => {
    const { values } = await collected({ upstreamUrl: 'http://ana:p%40ss@proxy:8317' })

    expect(values).toEqual(['p%40ss', 'p@ss', 'ana', 'ana'])
  })

  it('are the address of a receiver of messages, and its tokens', async () => {
    const address = 'https://user:word@hooks.example/services/T0/abcdefghij0123456789?key=k'
    const targets = [
      { name: 'a', kind: 'slack', urlFile: written('notify', `${address}\n`) },
      { name: 'b', kind: 'slack', urlFile: join(folder, 'gone') },
    ] as unknown as SettingsByName['targets']
    const { values, problems } = await collected({ targets })

    for (const secret of [address, 'abcdefghij0123456789', 'word']) expect(values).toContain(secret)
    expect(values).not.toContain('services')
    expect(problems).toEqual(['url_file cannot be read (ENOENT): what it holds is not looked for'])
  })

  it('are API names and labels of clients', async () => {
    const clients = [{ apiName: 'sk-client', label: 'Ana at home' }]
    const { values } = await collected({
      clientLabelsFile: written('labels.json', JSON.stringify({ clients })),
    })

    expect(values).toEqual(['sk-client', 'Ana at home'])
  })

  it('are found in a truncated labels file, and the truncation is reported', async () => {
    const text = '{"clients":[{"apiName":"sk-\\u0063lient","label":"Ana"},{"apiName":"sk-la'
    const { values, problems } = await collected({
      clientLabelsFile: written('labels.json', text),
    })

    expect(values).toEqual(['sk-client', 'Ana'])
    expect(problems).toEqual([
      'client_labels_file is not as it must be, and may hold more than what was found in it: what it holds is not looked for',
    ])
  })
})

describe('the secrets of a database', () => {
  const NOWHERE = 'postgres://svc_quota_monitor@127.0.0.1:1/h?sslmode=disable'

  it('are its passwords, wherever they stand, and not the name of its role', async () => {
    const { values, problems } = await collected(
      { stateDb: NOWHERE, stateDbPasswordFile: written('password', 'from-file\n') },
      {
        PGPASSWORD: 'from environment',
        PGPASSFILE: written(
          'pgpass',
          '# a:b:c:d:comment\nh:5432:*:u:plain\n\\:\\::1:d:u:with\\:colon and \\\\\nbroken\n',
        ),
      },
    )

    for (const password of ['from-file', 'from environment', 'plain', 'with:colon and \\'])
      expect(values).toContain(password)
    expect(values.join()).not.toMatch(/svc_quota_monitor|comment|broken/)
    expect(problems).toEqual([
      'state_db cannot be read (unreachable): what it holds is not looked for',
    ])
  })

  it('are the clients and accounts in it', async (context) => {
    const why = whyNoPostgres()
    if (why !== null) return context.skip(why)
    const databases = ownDatabases()
    try {
      const stateDb = await databases.nextAddress()
      await (await openHistory(stateDb)).close()
      await (await databases.server()).sql(
        "INSERT INTO svc_quota_monitor.api_names VALUES (7, 'sk-client'); INSERT INTO svc_quota_monitor.accounts VALUES (7, 'x', 'k', 'Ana')",
        new URL(stateDb).pathname.slice(1),
      )
      const { values, problems } = await collected({ stateDb })

      expect(values).toEqual(expect.arrayContaining(['sk-client', 'Ana']))
      expect(problems).toEqual([])
    } finally {
      await databases.remove()
    }
  })

  it('are not asked of the environment where a file keeps the history', async () => {
    expect(await collected({}, { PGPASSWORD: 'of another program' })).toMatchObject({ values: [] })
  })
})

describe('a source that cannot be read', () => {
  it('is reported with its reason only, and the other sources are still read', async () => {
    mkdirSync(join(folder, 'a-folder'))
    const { values, problems } = await collected({
      managementKeyFile: join(folder, 'gone'),
      authDir: join(folder, 'no-auths'),
      clientLabelsFile: join(folder, 'a-folder'),
      upstreamUrl: 'http://:word@proxy:8317',
    })

    expect(values).toContain('word')
    expect(problems).toEqual([
      expect.stringMatching(/^management_key_file cannot be read \(ENOENT\)/),
      expect.stringMatching(/^auth_dir cannot be read \(ENOENT\)/),
      expect.stringMatching(/^client_labels_file is not a regular file/),
    ])
  })

  it('ends the collecting only where it is stopped', async () => {
    const stop = new AbortController()
    stop.abort()

    await expect(
      collectConfigured(
        configWith({ managementKeyFile: join(folder, 'gone') }),
        {},
        { addConfigured() {} } as unknown as CollectedValues,
        stop.signal,
      ),
    ).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
