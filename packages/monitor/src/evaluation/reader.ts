/** Milliseconds for which a reading counts its sender as a reader. */
export const READER_MS = 60_000
