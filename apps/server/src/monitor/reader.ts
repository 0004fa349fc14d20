/** Milliseconds after a reading during which somebody still counts as a reader. */
export const READER_MS = 60_000
