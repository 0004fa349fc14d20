import { top } from './top.mjs'

/** A phase did not succeed. The message is one line for a person; `output` is what the command said, shown above it, or empty. */
export class Failure extends Error {
  /**
   * @param {string} message
   * @param {string} output
   */
  constructor(message, output = '') {
    super(message)
    this.output = output
  }
}

/** @typedef {{ readonly pattern: RegExp, readonly line: (match: readonly string[]) => string }} Cause */

/** What a machine may lack for any phase, and the remedy. Only as the system words it, because a build also quotes sources.
 * @type {readonly Cause[]} */
const DISK_CAUSES = [
  {
    pattern: /\b(ENOSPC|EDQUOT):|no space left on device/i,
    line: () =>
      'There is no space left on the disk: about 1 GB is needed for the packages and the caches of npm and pnpm. Free some.',
  },
  {
    pattern: /\b(EROFS|EACCES|EPERM): [^\n]*?'([^'\n]+)'/,
    line: ([, code, path]) =>
      `${path} cannot be written (${code}): give it to your user, or clone the repository into a folder of your own.`,
  },
  {
    pattern: /\b(read-only file system|permission denied) \(os error/i,
    line: ([, reason]) =>
      `${top} cannot be written (${reason?.toLowerCase()}): give it to your user, or clone the repository into a folder of your own.`,
  },
]

/** What is behind the usual failures of an installation, and the remedy. The first that fits is told instead of the output.
 * @type {readonly Cause[]} */
const INSTALLATION_CAUSES = [
  ...DISK_CAUSES,
  {
    pattern:
      /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT)\b/,
    line: ([, code]) =>
      `The package registry cannot be reached (${code}): connect this machine to the network, or name the proxy it must use (npm config set proxy).`,
  },
  {
    pattern:
      /\b(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)\b/,
    line: ([, code]) =>
      `The certificate of the package registry is not trusted (${code}): name the authority of your network (npm config set cafile).`,
  },
  {
    pattern: /\bERR_PNPM_OUTDATED_LOCKFILE\b/,
    line: () =>
      'pnpm-lock.yaml does not fit the package.json files: install with the pnpm that package.json names and commit what changes.',
  },
  {
    pattern: /^spawn npx ENOENT$/m,
    line: () =>
      'npx was not found: install npm, which brings it (it comes with Node from nodejs.org).',
  },
]

/**
 * A failed installation in one line where its cause is known, else with its whole output.
 * @param {string} output
 */
export function installationFailure(output) {
  return failureOf(
    'The packages could not be installed; what npm and pnpm said stands above.',
    output,
    causeIn(INSTALLATION_CAUSES, output),
  )
}

/**
 * A failed phase in one line where the disk is the cause, else with this message and its whole output.
 * @param {string} message
 * @param {string} output
 */
export function phaseFailure(message, output) {
  return failureOf(message, output, diskCause(output))
}

/**
 * What the disk did not allow, and the remedy; null where the output names something else.
 * @param {string} output
 */
export function diskCause(output) {
  return causeIn(DISK_CAUSES, output)
}

/**
 * @param {readonly Cause[]} causes
 * @param {string} output
 */
function causeIn(causes, output) {
  for (const { pattern, line } of causes) {
    const match = pattern.exec(output)
    if (match !== null) return line(match)
  }
  return null
}

/**
 * @param {string} message
 * @param {string} output
 * @param {string | null} cause
 */
function failureOf(message, output, cause) {
  return cause === null ? new Failure(message, output) : new Failure(cause)
}
