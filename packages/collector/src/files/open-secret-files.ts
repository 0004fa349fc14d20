import type { Clock, Log, SecretFile } from '@svc/core/service'
import { hasAuthFilesReadableByOthers, isReadableByOthers } from '@svc/secret-files'

export interface SecretFiles {
  /** Absolute; null for none. */
  readonly clientLabelsFile: string | null
  /** Folder of the auth files, absolute; null if they are not read. */
  readonly authDir: string | null
}

const LOOK_EVERY_MS = 60_000

/** Watches for secret files, except the key file, that every user of this machine can read. */
export function createOpenFilesWatch(
  { clientLabelsFile, authDir }: SecretFiles,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
) {
  let found: readonly SecretFile[] = []
  let cancelNext = () => {}
  let stopped = clientLabelsFile === null && authDir === null

  const look = async (onChange: () => void): Promise<void> => {
    if (stopped) return
    const next: SecretFile[] = []
    if (clientLabelsFile !== null && (await isReadableByOthers(clientLabelsFile)))
      next.push('client_labels')
    if (authDir !== null && (await hasAuthFilesReadableByOthers(authDir))) next.push('auth_files')
    if (stopped) return
    for (const file of next)
      if (!found.includes(file))
        log.warn('other users can read a file with secrets', { key: KEYS[file] })
    const isChanged = next.join() !== found.join()
    found = next
    cancelNext = clock.schedule(LOOK_EVERY_MS, () => void look(onChange))
    if (isChanged) onChange()
  }

  return {
    /** Readable files at the last check. */
    open: (): readonly SecretFile[] => found,
    /** Checks now and then every minute; calls `onChange` when the result changes. */
    start: (onChange: () => void) => void look(onChange),
    stop() {
      stopped = true
      cancelNext()
    },
  }
}

const KEYS: Readonly<Record<SecretFile, string>> = {
  management_key: 'management_key_file',
  client_labels: 'client_labels_file',
  auth_files: 'auth_dir',
}
