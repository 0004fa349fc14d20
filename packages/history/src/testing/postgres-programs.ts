import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Folder of Debian for the programs of each major version; elsewhere they are on the PATH. */
const DEBIAN = '/usr/lib/postgresql'
const VERSION_MIN = 15

/** The folder of the newest server on this machine; null without one. */
export function serverFolder(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : []
  const newestFirst = versions
    .filter((version) => version >= VERSION_MIN)
    .sort((one, other) => other - one)
    .map((version) => join(DEBIAN, String(version), 'bin'))
  return [...newestFirst, ...onPath()].find((folder) => existsSync(join(folder, 'initdb'))) ?? null
}

/** Reason why a test that needs a PostgreSQL server is skipped; null if it runs. In CI nothing is skipped: it fails. */
export function whyNoPostgres(): string | null {
  return process.env.CI !== undefined || serverFolder() !== null
    ? null
    : 'skipped, because no server of PostgreSQL 15 or newer is installed'
}

/** Reason why a test that needs pgBouncer is skipped, like `whyNoPostgres`. */
export function whyNoBouncer(): string | null {
  return process.env.CI !== undefined || bouncerProgram() !== null
    ? whyNoPostgres()
    : 'skipped, because pgbouncer is not installed'
}

/** Null without pgBouncer. */
export function bouncerProgram(): string | null {
  return programOnPath('pgbouncer')
}

/** Command that starts a program of the server: never as root, which it refuses, and so that it ends with this process, however that ends. */
export function unprivileged(
  program: string,
  args: readonly string[],
): { readonly command: string; readonly args: readonly string[]; readonly user: User } {
  const setpriv = programOnPath('setpriv')
  return setpriv === null
    ? { command: program, args, user: serverUser() }
    : { command: setpriv, args: ['--pdeathsig', 'INT', program, ...args], user: serverUser() }
}

/** Owner of a server's processes and files; empty for the current user. */
export interface User {
  readonly uid?: number
  readonly gid?: number
}

let found: User | null = null

/** A user who may run a server. */
export function serverUser(): User {
  found ??= process.getuid?.() === 0 ? otherThanRoot() : {}
  return found
}

function otherThanRoot(): User {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((what) => Number(execFileSync('id', [what, name])))
      if (uid !== undefined && gid !== undefined) return { uid, gid }
    } catch {
      // Nobody of that name.
    }
  }
  throw new Error('a server of PostgreSQL refuses to run as root, and there is nobody else')
}

function programOnPath(name: string): string | null {
  return (
    onPath()
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path)) ?? null
  )
}

function onPath(): readonly string[] {
  // Debian leaves the folder of services out of the PATH of a user.
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
}
