import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Path at which a file is written before it takes its place; one is left there by a kill in between. */
export const unfinishedOf = (path: string) => `${path}.unfinished`

/** Writes a file atomically: a reader sees the old or the new file, never a part. */
export function replaceFile(path: string, text: string, mode: number): void {
  const unfinished = unfinishedOf(path)
  rmSync(unfinished, { force: true })
  const file = openSync(unfinished, 'wx', mode)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
}
