/** Called now and then with how far a backup has come. */
export type Progress = (done: { readonly rows: number; readonly total: number }) => void

/** A backup that cannot be written or read. The message is one line that says what and where, and quotes nothing of its content. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
