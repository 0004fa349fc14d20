/** Called regularly with the rows done so far. */
export type Progress = (done: { readonly rows: number; readonly total: number }) => void

/** A backup that cannot be written or read. The message is one line with problem and place, and quotes nothing of the content. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
