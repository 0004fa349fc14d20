import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs } from '@svc/core'
import { afterAll, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { exportBackup } from './export-backup.ts'
import { createFormerRows } from './format/backup-format-1.ts'
import { importBackup } from './import-backup.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const NOW = epochMs(Date.UTC(2026, 10, 21))
const folder = mkdtempSync(join(tmpdir(), 'svc-format-1-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const exported = async (statePath: string, name: string) => {
  const output = join(folder, name)
  await exportBackup({ statePath, output, exportedAt: 'then', appVersion: 'fixture' })
  return readFileSync(output, 'utf8')
}

it('a backup of format 1 comes to what the store it was made of comes to', async () => {
  const statePath = join(folder, 'imported.db')
  await importBackup({ statePath, file: join(FIXTURES, 'backup-1.json'), now: NOW })

  const upgraded = readFileSync(join(FIXTURES, 'schema-1.json'), 'utf8')
  expect(await exported(statePath, 'imported.json')).toBe(upgraded)
})

it('a store of an earlier schema is exported as it is, in format 1', async () => {
  const statePath = join(folder, 'former.db')
  copyFileSync(join(FIXTURES, 'schema-1.db'), statePath)

  const former = JSON.parse(readFileSync(join(FIXTURES, 'backup-1.json'), 'utf8'))
  const { formatVersion, tables } = JSON.parse(await exported(statePath, 'former.json'))
  expect([formatVersion, tables]).toEqual([1, former.tables])
  await (await openHistory(statePath)).close()
  expect(JSON.parse(await exported(statePath, 'later.json')).formatVersion).toBe(2)
})

it('the sums of a day by provider are those of its accounts', () => {
  const rows = createFormerRows()
  const days = [
    ['total', 86_400, '', '', 6, 60, 1],
    ['account', 86_400, 'i', 'ann', 1, 10, 0],
    ['account', 86_400, 'i', 'bob', 2, 20, 1],
    ['account', 86_400, 'i', 'other:gemini', 3, 30, 0],
    ['account', 172_800, 'i', 'ann', 4, 40, 0],
    ['model', 86_400, '', 'm', 6, 60, 1],
  ]
  const read = [...days.flatMap((day) => rows.read('days', day) ?? []), ...rows.end('days')]

  expect(
    read.map(({ row }) => row).filter(([name]) => name === 'provider' || name === 'upstream'),
  ).toEqual([
    ['upstream', 86_400, '', 'default', 6, 60, 1, 0, 0, 0, 0],
    ['provider', 86_400, '', 'codex', 3, 30, 1, 0, 0, 0, 0],
    ['provider', 86_400, '', 'gemini', 3, 30, 0, 0, 0, 0, 0],
    ['provider', 172_800, '', 'codex', 4, 40, 0, 0, 0, 0, 0],
  ])
})
