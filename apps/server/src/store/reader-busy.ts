/** The reader of the history cannot answer now: too many ask, or it is just being replaced. */
export class ReaderBusy extends Error {
  override readonly name = 'ReaderBusy'
  readonly code = 'reader_busy'
}
