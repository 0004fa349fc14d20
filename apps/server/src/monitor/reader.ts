/** How long after a reading somebody still counts as a reader. */
export const READER_MS = 60_000
