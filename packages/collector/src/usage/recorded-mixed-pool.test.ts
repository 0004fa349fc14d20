import { type AccountList, epochMs } from '@svc/core'
import { readRecording } from '@svc/fake-proxy'
import { describe, expect, it } from 'vitest'
import { createAccountTracker } from '../accounts/account-tracker.ts'
import { accountListOf } from '../accounts/auth-files.ts'
import { accountDirectoryOf } from './account-directory.ts'
import { decodeRecords } from './usage-decoder.ts'

interface RecordedFile {
  readonly name: string
  readonly provider: string
}
interface RecordedUsage {
  /** Auth file of the request; left out for an API key of the proxy's configuration. */
  readonly _file?: string
  readonly source: string
  readonly provider: string
}

const { files } = (readRecording('v7-mixed-auth-files') as { body: { files: RecordedFile[] } }).body
const { body: records } = readRecording('v7-mixed-usage-queue') as { body: RecordedUsage[] }
const receivedAt = epochMs(Date.parse('2026-11-23T19:03:00Z'))

const listOf = (entries: readonly object[]): AccountList =>
  accountListOf(
    { body: { files: entries }, receivedAt, proxyNow: receivedAt },
    0,
    createAccountTracker(),
  )
const decoded = (list: AccountList, wire: readonly object[]) =>
  decodeRecords(wire, { directory: accountDirectoryOf(list), receivedAt })

/** Expected account keys: those of the files, else the provider of the record. */
function expectedKeys(list: AccountList): readonly string[] {
  const keyByFile = new Map(
    list.accounts.map(({ selector }) => [selector.authName, selector.accountKey]),
  )
  return records.map(({ _file = '', provider }) => {
    const file = files.find(({ name }) => name === _file)
    return keyByFile.get(_file) ?? `other:${file?.provider ?? provider}`
  })
}
const keysIn = (list: AccountList, wire: readonly object[]) =>
  decoded(list, wire)?.batch.details.map(({ accountKey }) => accountKey)

describe('the usage recorded from a pool of five providers', () => {
  it('is each of the file that was asked', () => {
    const list = listOf(files)
    expect(list.accounts).toHaveLength(files.length)
    expect(keysIn(list, records)).toEqual(expectedKeys(list))
    expect(new Set(expectedKeys(list)).size).toBe(12)
  })

  it('stays so when all logins have the address of one Codex account, indexes known or not', () => {
    const email = 'user1@example.com'
    const same = files.map((file) => ({ ...file, email }))
    const list = listOf(same)
    const wire = records.map((record) => ({ ...record, source: email }))
    expect(keysIn(list, wire)).toEqual(expectedKeys(list))

    const codex = list.accounts.find(({ provider }) => provider === 'codex')
    const alone = { ...list, accounts: codex === undefined ? [] : [codex] }
    const moved = wire.map((record) => ({ ...record, auth_index: 'moved' }))
    expect(keysIn(alone, moved)).toEqual(
      records.map(({ provider }) =>
        provider === 'codex' ? codex?.selector.accountKey : `other:${provider}`,
      ),
    )
  })

  it('keeps no source that is no address', () => {
    const keys = records.map(({ source }) => source).filter((source) => !source.includes('@'))
    const upstreamKeys = keys.filter((key) => !key.startsWith('sk-client'))
    expect(upstreamKeys).toHaveLength(2)
    const text = JSON.stringify(decoded(listOf(files), records), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    for (const key of upstreamKeys) expect(text).not.toContain(key)
  })
})
