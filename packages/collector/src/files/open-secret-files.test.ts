import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log, LogFields } from '@svc/core/service'
import { silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOpenFilesWatch } from './open-secret-files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'collector-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function watched() {
  const clientLabelsFile = join(folder, 'labels.json')
  const authDir = join(folder, 'auths')
  writeFileSync(clientLabelsFile, '{}')
  mkdirSync(authDir)
  writeFileSync(join(authDir, 'a.json'), '{}')
  writeFileSync(join(authDir, 'notes.txt'), '')
  const warnings: LogFields[] = []
  const log: Log = { ...silentLog, warn: (_, fields = {}) => void warnings.push(fields) }
  // A check has finished once the next one is scheduled.
  const clock: VirtualClock = virtualClock(() =>
    vi.waitFor(() => expect(clock.scheduledCount).toBe(1), { timeout: 60_000 }),
  )
  return {
    clientLabelsFile,
    authDir,
    clock,
    warnings,
    watch: createOpenFilesWatch({ clientLabelsFile, authDir }, { clock, log }),
  }
}

describe('files with secrets', () => {
  it('are told of while others can read them, in the log once', async () => {
    const { clientLabelsFile, clock, warnings, watch } = watched()
    let changes = 0
    chmodSync(clientLabelsFile, 0o644)
    watch.start(() => {
      changes += 1
    })
    await clock.advance(0)
    expect(watch.open()).toContain('client_labels')
    await clock.advance(180_000)
    expect(warnings.filter(({ key }) => key === 'client_labels_file')).toHaveLength(1)

    chmodSync(clientLabelsFile, 0o600)
    await clock.advance(60_000)
    expect(watch.open()).not.toContain('client_labels')
    expect(changes).toBe(2)
    watch.stop()
    expect(clock.scheduledCount).toBe(0)
  })

  // Modes of the folder, of an auth file in it, and of another file in it.
  it.each([
    [0o755, 0o644, 0o600, true],
    [0o755, 0o600, 0o644, false],
    [0o750, 0o644, 0o600, false],
    [0o701, 0o604, 0o600, true],
  ])(
    'in a folder of mode %o an auth file of mode %o: readable by others %s',
    async (folderMode, fileMode, otherMode, expected) => {
      const { clientLabelsFile, authDir, clock, watch } = watched()
      chmodSync(clientLabelsFile, 0o600)
      chmodSync(join(authDir, 'a.json'), fileMode)
      chmodSync(join(authDir, 'notes.txt'), otherMode)
      chmodSync(authDir, folderMode)
      watch.start(() => undefined)
      await clock.advance(0)

      expect(watch.open()).toEqual(expected ? ['auth_files'] : [])
      watch.stop()
    },
  )
})
