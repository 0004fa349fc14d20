import { constants, promises as fs } from 'node:fs'
import { sep } from 'node:path'

export const OTHERS_READ = 0o004
const hasModes = process.platform !== 'win32'

/** Mode bits of a readable regular file or folder, inside `root` if one is given; null for any other. 0 on Windows. */
export async function modeOf(path: string, root: string | null = null): Promise<number | null> {
  try {
    const target = await fs.realpath(path)
    if (root !== null && target !== root && !target.startsWith(root + sep)) return null
    const stats = await fs.stat(target)
    if (!stats.isFile() && !stats.isDirectory()) return null
    await fs.access(path, constants.R_OK)
    return hasModes ? stats.mode : 0
  } catch {
    return null
  }
}
