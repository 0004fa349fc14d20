import { constants, promises as fs } from 'node:fs'
import { join } from 'node:path'
import { knownProviders, readAuthFile } from '@svc/collector'
import type { Config } from '@svc/config'
import { providerLabel } from '@svc/core/service'
import { actionConditions, noAccountsWords } from '@svc/views/messages'
import { modeOf, OTHERS_READ, OTHERS_WRITE } from './file-mode.ts'
import { type FindingCode, fail, ok, skip, systemCodeOf, type Verdict, warn } from './finding.ts'

/** More auth files than this are counted, not looked at one by one. */
const AUTH_FILES_MAX = 5_000
const OTHERS_ENTER = 0o001

/** The folder of auth files: whether it can be read, what is in it, and who else could read or change it. Nothing of a file is shown. */
export async function authDirVerdict({ quota }: Config): Promise<Verdict> {
  const { authDir, quotaTransport } = quota
  if (authDir === null) return skip('auth_dir is not set; only quota_transport auth-files needs it')
  const isUsed = quotaTransport === 'auth-files'
  const unusable = (code: FindingCode, detail: string, hint: string) =>
    isUsed
      ? fail(code, detail, hint)
      : warn(
          code,
          `${detail}; nothing reads it, because quota_transport is not auth-files`,
          `${hint} Or leave auth_dir out.`,
        )
  try {
    if (!(await fs.stat(authDir)).isDirectory())
      return unusable(
        'not_a_folder',
        `${authDir} is no folder`,
        'Point auth_dir at the folder of auth files.',
      )
    await fs.access(authDir, constants.R_OK | constants.X_OK)
    const names = (await fs.readdir(authDir)).filter((name) => name.endsWith('.json'))
    if (names.length === 0)
      return warn(
        'no_files',
        `${authDir} holds no .json file`,
        'Point auth_dir at the auth-dir of the proxy.',
      )
    const looked = names.slice(0, AUTH_FILES_MAX)
    return (
      (await rightsVerdict(authDir, looked, unusable)) ??
      (await contentVerdict(authDir, { names: looked, fileCount: names.length }, unusable))
    )
  } catch (error) {
    const code = systemCodeOf(error)
    const hint = 'Correct auth_dir, or let this user read the folder.'
    return unusable(
      code === 'ENOENT' ? 'missing' : 'unreadable',
      `${authDir} cannot be read (${code})`,
      hint,
    )
  }
}

type Unusable = (code: FindingCode, detail: string, hint: string) => Verdict

async function rightsVerdict(
  authDir: string,
  names: readonly string[],
  unusable: Unusable,
): Promise<Verdict | null> {
  const root = await fs.realpath(authDir)
  const [folder, ...files] = await Promise.all(
    [root, ...names.map((name) => join(root, name))].map((path) => modeOf(path, root)),
  )
  const unreadable = files.filter((mode) => mode === null).length
  if (unreadable > 0) {
    const hint =
      'Let this user read them, and nobody else; links out of the folder are not followed.'
    return unusable(
      'unreadable_files',
      `${unreadable} of ${names.length} auth files cannot be read`,
      hint,
    )
  }
  if ([folder, ...files].some((mode) => ((mode ?? 0) & OTHERS_WRITE) !== 0)) {
    return fail(
      'writable_by_others',
      `others can write to ${authDir} or to files in it`,
      'chmod 700 the folder and 600 the files.',
    )
  }
  const isOpen =
    ((folder ?? 0) & OTHERS_ENTER) !== 0 && files.some((mode) => ((mode ?? 0) & OTHERS_READ) !== 0)
  return isOpen
    ? warn(
        'readable_by_others',
        `other users of this machine can read tokens in ${authDir}`,
        actionConditions.auth_files_readable_by_others.remedy,
      )
    : null
}

async function contentVerdict(
  authDir: string,
  { names, fileCount }: { readonly names: readonly string[]; readonly fileCount: number },
  unusable: Unusable,
): Promise<Verdict> {
  const providers = await Promise.all(
    names.map(async (name) => providerIn(await readAuthFile(authDir, name))),
  )
  const countOf = (kind: string | null) => providers.filter((provider) => provider === kind).length
  // File names hold e-mail addresses, so they are counted; the command in the hint names them.
  if (countOf('broken') > 0) {
    const detail = `${countOf('broken')} of ${names.length} auth files are no JSON objects`
    return unusable(
      'broken_files',
      detail,
      `Log in to these accounts again on the proxy, or remove the files: jq .type ${authDir}/*.json`,
    )
  }
  if (countOf(null) > 0) {
    const detail = `${countOf(null)} of ${names.length} files are no auth files of the proxy`
    return warn(
      'foreign_files',
      detail,
      `Point auth_dir at the auth-dir of the proxy, where nothing else belongs: jq .type ${authDir}/*.json`,
    )
  }
  const watched = knownProviders.flatMap(({ id }) =>
    countOf(id) === 0 ? [] : [{ label: providerLabel(id), count: countOf(id) }],
  )
  if (watched.length === 0) {
    const labels = knownProviders.map(({ id }) => providerLabel(id)).join(', ')
    return unusable(
      'no_codex_files',
      `none of ${names.length} auth files is of an account that is watched (${labels})`,
      noAccountsWords.remedy,
    )
  }
  const files = `${fileCount} auth file${fileCount === 1 ? '' : 's'}`
  const looked = fileCount > names.length ? `${files}, of the first ${names.length}` : files
  return ok(`${looked}: ${contentText(watched, names.length)}`)
}

/** `2 Codex, 1 of other providers`. What a file calls its provider is not repeated: it may be anything. */
function contentText(
  watched: readonly { readonly label: string; readonly count: number }[],
  lookedCount: number,
): string {
  const otherCount = watched.reduce((left, { count }) => left - count, lookedCount)
  const parts = watched.map(({ label, count }) => `${count} ${label}`)
  if (otherCount > 0) parts.push(`${otherCount} of other providers, which are not watched`)
  return parts.join(', ')
}

/** The provider an auth file names; null for JSON that names none. */
function providerIn(text: string | null): string | 'broken' | null {
  try {
    const document: unknown = JSON.parse(text ?? '')
    if (typeof document !== 'object' || document === null || Array.isArray(document))
      return 'broken'
    return 'type' in document && typeof document.type === 'string' ? document.type : null
  } catch {
    return 'broken'
  }
}
