import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of the workspace, from a source file in tooling as well as from its bundle. */
export const top = findTop(import.meta.dirname)

function findTop(folder: string): string {
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('not inside the workspace')
  return findTop(parent)
}
