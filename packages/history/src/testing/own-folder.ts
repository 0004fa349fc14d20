import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverUser } from './postgres-programs.ts'

export interface OwnFolder {
  readonly path: string
  /** Writes a file that only the server's user can read, and returns its path. */
  write(name: string, text: string): string
  remove(): void
}

/** Waits for the end of its input, then for the servers that end with its holder. */
const KEEPER =
  'cat >/dev/null; for n in $(seq 100); do rm -rf "$0" 2>/dev/null && exit; sleep 0.1; done'

/** Creates a folder that goes with this process, however that ends: a test runner kills processes that take long to end. */
export function ownFolder(within: string = tmpdir()): OwnFolder {
  const path = mkdtempSync(join(within, 'svc-postgres-'))
  const keeper = spawn('/bin/sh', ['-c', KEEPER, path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  keeper.unref()
  keeper.stdin.on('error', () => undefined)
  giveAway(path)
  return {
    path,
    write: writeIn(path),
    remove() {
      rmSync(path, { recursive: true, force: true })
      keeper.stdin.end()
    },
  }
}

/** A folder that stays; created if missing. */
export function keptFolder(path: string): OwnFolder {
  mkdirSync(path, { recursive: true })
  giveAway(path)
  return { path, write: writeIn(path), remove: () => undefined }
}

function writeIn(path: string): OwnFolder['write'] {
  return (name, text) => {
    const file = join(path, name)
    writeFileSync(file, text)
    chmodSync(file, 0o600)
    giveAway(file)
    return file
  }
}

function giveAway(path: string): void {
  const { uid, gid } = serverUser()
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}
