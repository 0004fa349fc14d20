import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The folder of the workspace, from a source file in tooling as well as from its bundle. */
export const top = findTop(import.meta.dirname)

function findTop(folder: string): string {
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('not inside the workspace')
  return findTop(parent)
}

/** Runs `work` with a new folder and deletes the folder afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tooling-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
