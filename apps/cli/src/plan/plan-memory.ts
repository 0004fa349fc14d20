import { mkdirSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { ConfigError } from '@svc/config'
import { instantToIso, parseInstant } from '@svc/core'
import type { ProposedOff } from '@svc/core/pool'
import type { CliContext } from '../program/cli-context.ts'
import { replaceFile } from '../program/replace-file.ts'

/** What `plan` has proposed to switch off, by the address of the service. Every call throws ConfigError if the file cannot be used. */
export interface PlanMemory {
  read(): readonly ProposedOff[]
  write(proposed: readonly ProposedOff[]): void
}

/** The file as it is written: instants in ISO 8601. */
interface StoredPlan {
  readonly version: 1
  readonly services: Readonly<Record<string, readonly StoredProposal[]>>
}
type StoredProposal = Pick<ProposedOff, 'upstream' | 'authName' | 'reasons'> & {
  readonly proposedAt: string
  readonly until: string | null
}

export function planMemory(context: CliContext, service: string): PlanMemory {
  const path = pathIn(context)
  const stored = storedIn(path, context)
  return {
    read() {
      const proposed = (stored.services[service] ?? []).map(proposalOf)
      if (proposed.includes(null)) throw damaged(path)
      return proposed.filter((each) => each !== null)
    },
    write(proposed) {
      const texts = proposed.map(
        (each): StoredProposal => ({
          ...each,
          proposedAt: instantToIso(each.proposedAt),
          until: each.until === null ? null : instantToIso(each.until),
        }),
      )
      const { [service]: before = [], ...others } = stored.services
      if (JSON.stringify(before) === JSON.stringify(texts)) return
      const services = texts.length === 0 ? others : { ...others, [service]: texts }
      const next: StoredPlan = { version: 1, services }
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        replaceFile(path, `${JSON.stringify(next, null, 1)}\n`, 0o600)
      } catch (error) {
        throw unusable(
          path,
          `cannot be written (${codeOf(error)}): XDG_STATE_HOME names another folder`,
        )
      }
    },
  }
}

/** A relative XDG_STATE_HOME does not count, as its specification says. */
function pathIn({ env, homeDir }: CliContext): string {
  const given = env.XDG_STATE_HOME ?? ''
  const state = isAbsolute(given) ? given : join(homeDir, '.local/state')
  return join(state, 'svc-quota-monitor/plan.json')
}

function storedIn(path: string, { readTextFile }: CliContext): StoredPlan {
  let text: string
  try {
    text = readTextFile(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { version: 1, services: {} }
    throw unusable(path, `cannot be read (${codeOf(error)})`)
  }
  try {
    const stored = JSON.parse(text)
    if (stored.version === 1 && Object.values(stored.services).every(Array.isArray)) return stored
  } catch {
    // Handled as any other damage.
  }
  throw damaged(path)
}

/** Null for a proposal that this version does not know the form of. */
function proposalOf(stored: StoredProposal): ProposedOff | null {
  const { upstream, authName, reasons } = stored
  const proposedAt = parseInstant(String(stored.proposedAt))
  const until = stored.until === null ? null : parseInstant(String(stored.until))
  const isKnown =
    [upstream, authName].every((text) => typeof text === 'string') &&
    Array.isArray(reasons) &&
    proposedAt !== null &&
    (until === null) === (stored.until === null)
  return isKnown ? { upstream, authName, reasons: reasons.map(String), proposedAt, until } : null
}

function damaged(path: string): ConfigError {
  return unusable(
    path,
    'does not hold what plan has proposed: move it away, and look at the proxy for accounts that are off',
  )
}

function unusable(path: string, what: string): ConfigError {
  return new ConfigError({ code: 'unreadable_file', message: `${path} ${what}` })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
