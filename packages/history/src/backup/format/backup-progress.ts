/** Called regularly with the rows done so far. */
export type Progress = (done: { readonly rows: number; readonly total: number }) => void

/** A backup that cannot be written or read. The message is one line with problem and place, and quotes nothing of the content. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/** The failure of reading or writing a backup; null for a failure of something else, as of the store. */
export function backupErrorOf(error: unknown): BackupError | null {
  if (error instanceof BackupError) return error
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return null
  const { syscall, code } = error
  if (syscall === 'read') return new BackupError(`the backup cannot be read (${String(code)})`)
  return syscall === 'write' || syscall === 'fsync'
    ? new BackupError(`the backup cannot be written (${String(code)})`)
    : null
}
