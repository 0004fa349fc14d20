import { readdirSync, readFileSync } from 'node:fs'
import sea from 'node:sea'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Address of a file that the build places beside the program. The single executable has no files: in it `import.meta.url` is `sea:///main.js`, and each
 * address of that kind names an asset.
 */
type ProgramFile = URL

const isInExecutable = ({ protocol }: ProgramFile) => protocol === 'sea:'
const assetOf = ({ pathname }: ProgramFile) => pathname.slice(1)

/** Path of the program's script, or of the executable. */
export function programPathOf(script: ProgramFile): string {
  return isInExecutable(script) ? process.execPath : fileURLToPath(script)
}

/** Throws if there is no such file. */
export function readProgramFile(file: ProgramFile): Buffer {
  return isInExecutable(file) ? Buffer.from(sea.getAsset(assetOf(file))) : readFileSync(file)
}

/** Names in a folder, which the executable has in an asset of the folder's name. Throws if there is no such folder. */
export function programFilesIn(folder: ProgramFile): readonly string[] {
  return isInExecutable(folder)
    ? JSON.parse(sea.getAsset(assetOf(folder), 'utf8'))
    : readdirSync(folder)
}

export function startWorker(file: ProgramFile, options: WorkerOptions): Worker {
  return isInExecutable(file)
    ? new Worker(sea.getAsset(assetOf(file), 'utf8'), { ...options, eval: true })
    : new Worker(file, options)
}
