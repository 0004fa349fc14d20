import { constants, promises as fs } from 'node:fs'
import { sep } from 'node:path'
import { knownProviders } from '@svc/collector'
import type { Config } from '@svc/config'
import type { ProviderId } from '@svc/core'
import { errorCodeOf, type KeyFileProblem, providerLabel } from '@svc/core/service'
import {
  hasAuthFilesReadableByOthers,
  isUntrusted,
  readAuthFile,
  type SecretFileReading,
} from '@svc/secret-files'
import { actionConditions, noAccountsWords } from '@svc/views/messages'
import {
  type CheckVerdict,
  type FindingCode,
  fail,
  ok,
  refusedFile,
  skip,
  warn,
} from './finding.ts'
import { providerGroupsOf, whyNotAsked } from './key-check.ts'

/** Maximum number of auth files that are examined; the others are only counted. */
const AUTH_FILES_MAX = 5_000

/**
 * Checks the folder of auth files: whether it is readable, its contents, whether it is the proxy's folder, and who else can read or change it. Shows
 * no content of any file. `listed`: files of the accounts in the proxy's list; null without a list.
 */
export async function authDirVerdict(
  config: Config,
  listed: readonly string[] | null,
): Promise<CheckVerdict> {
  const { authDir, quotaTransport } = config.quota
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
    // The proxy lists a file in a folder by the path of both.
    const names = (await fs.readdir(authDir, { recursive: true }))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.replaceAll(sep, '/'))
    if (names.length === 0)
      return warn(
        'no_files',
        `${authDir} holds no .json file`,
        'Point auth_dir at the auth-dir of the proxy.',
      )
    const looked = names.slice(0, AUTH_FILES_MAX)
    const readings = await Promise.all(looked.map((name) => readAuthFile(authDir, name)))
    return (
      (await rightsVerdict(authDir, readings, unusable)) ??
      contentVerdict({ authDir, readings, names, listed, config }, unusable)
    )
  } catch (error) {
    const code = errorCodeOf(error)
    const hint = 'Correct auth_dir, or let this user read the folder.'
    return unusable(
      code === 'ENOENT' ? 'missing' : 'unreadable',
      `${authDir} cannot be read (${code})`,
      hint,
    )
  }
}

type Unusable = (code: FindingCode, detail: string, hint: string) => CheckVerdict

async function rightsVerdict(
  authDir: string,
  readings: readonly SecretFileReading[],
  unusable: Unusable,
): Promise<CheckVerdict | null> {
  const problems = readings.flatMap((one) => (one.kind === 'problem' ? [one.reason] : []))
  const refused = problems.find(isUntrusted)
  if (refused !== undefined) return refusedFile(refused, `a file in ${authDir}`, 'auth_dir')
  const unreadable = problems.filter((reason) => !BROKEN.includes(reason)).length
  if (unreadable > 0) {
    const hint =
      'Let this user read them, and nobody else; links out of the folder are not followed.'
    return unusable(
      'unreadable_files',
      `${unreadable} of ${readings.length} auth files cannot be read`,
      hint,
    )
  }
  return (await hasAuthFilesReadableByOthers(authDir))
    ? warn(
        'readable_by_others',
        `other users of this machine can read tokens in ${authDir}`,
        actionConditions.auth_files_readable_by_others.remedy,
      )
    : null
}

interface AuthFolder {
  readonly authDir: string
  readonly readings: readonly SecretFileReading[]
  readonly names: readonly string[]
  readonly listed: readonly string[] | null
  readonly config: Config
}

/** Problems of readable files that contain no login. */
const BROKEN: readonly KeyFileProblem[] = ['empty', 'too_large', 'utf16', 'nul']

function contentVerdict(
  { authDir, readings, names, listed, config }: AuthFolder,
  unusable: Unusable,
): CheckVerdict {
  const fileCount = names.length
  const providers = readings.map(providerIn)
  const countOf = (kind: string | null) => providers.filter((provider) => provider === kind).length
  // File names contain e-mail addresses, so they are counted; the command in the hint lists them.
  if (countOf('broken') > 0) {
    const detail = `${countOf('broken')} of ${readings.length} auth files are no JSON objects`
    return unusable(
      'broken_files',
      detail,
      `Log in to these accounts again on the proxy, or remove the files: jq .type ${authDir}/*.json`,
    )
  }
  if (countOf(null) > 0) {
    const detail = `${countOf(null)} of ${readings.length} files are no auth files of the proxy`
    return warn(
      'foreign_files',
      detail,
      `Point auth_dir at the auth-dir of the proxy, where nothing else belongs: jq .type ${authDir}/*.json`,
    )
  }
  const ids = new Set<string>(knownProviders.map(({ id }) => id))
  const known = providers.flatMap((provider) =>
    provider !== null && ids.has(provider) ? [provider] : [],
  )
  if (known.length === 0) {
    const labels = [...new Set(knownProviders.map(({ id }) => providerLabel(id)))].join(', ')
    return unusable(
      'no_known_files',
      `none of ${readings.length} auth files is of an account whose quota can be read (${labels})`,
      noAccountsWords.remedy,
    )
  }
  const own = names.filter((_, index) => ids.has(providers[index] ?? ''))
  const listedNames = new Set(listed ?? own)
  const listedCount = own.filter((name) => listedNames.has(name)).length
  // A few files may have come or gone since the proxy read its folder.
  if (listedCount < own.length / 2)
    return warn(
      'unlisted_files',
      `the proxy lists ${listedCount === 0 ? 'none' : `only ${listedCount}`} of these ${own.length} logins: the folder seems to be of another proxy`,
      'Point auth_dir at the auth-dir of this proxy.',
    )
  const files = `${fileCount} auth file${fileCount === 1 ? '' : 's'}`
  const looked = fileCount > readings.length ? `${files}, of the first ${readings.length}` : files
  return ok(`${looked}: ${contentText(known, readings.length, config)}`)
}

/**
 * `2 Codex, 1 Claude (not in quota_probe_providers), 1 of other providers`. Unknown provider names are not repeated, because they may be any text.
 */
function contentText(known: readonly ProviderId[], lookedCount: number, config: Config): string {
  const parts = providerGroupsOf(known).map(({ label, id, count }) => {
    const reason = whyNotAsked(config, id)
    return `${count} ${label}${reason === null ? '' : ` (not asked, ${reason})`}`
  })
  const otherCount = lookedCount - known.length
  if (otherCount > 0) parts.push(`${otherCount} of other providers, whose quota is not read`)
  return parts.join(', ')
}

/** The provider named in an auth file; null for JSON without one. */
function providerIn(reading: SecretFileReading): string | 'broken' | null {
  try {
    const document: unknown = JSON.parse(reading.kind === 'text' ? reading.text : '')
    if (typeof document !== 'object' || document === null || Array.isArray(document))
      return 'broken'
    return 'type' in document && typeof document.type === 'string' ? document.type : null
  } catch {
    return 'broken'
  }
}
