import { mkdirSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { ConfigError } from '@svc/config'
import { epochMs } from '@svc/core'
import type { ProposedOff } from '@svc/core/pool'
import { errorCodeOf, UPSTREAM_NAME } from '@svc/core/service'
import { replaceFile } from '@svc/setup/replace-file'
import * as v from 'valibot'
import type { CliContext } from '../program/cli-context.ts'

/** Earlier proposals of `plan` to switch files off, for the proxies of one service. */
export interface PlanMemory {
  readonly proposed: readonly ProposedOff[]
  /** Throws ConfigError if the file cannot be written. */
  keep(proposed: readonly ProposedOff[]): void
}

/** Slug of a used-up window, with the window's id at its end. */
const USED_UP_SLUG = /^quota_exhausted_[a-z0-9][a-z0-9_:.-]*$/
/** The last moment of the year 9999. */
const INSTANT_MAX = 253_402_300_799_999
const instant = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(INSTANT_MAX),
  v.transform(epochMs),
)
const proposedOff = v.object({
  upstream: v.pipe(v.string(), v.regex(UPSTREAM_NAME)),
  authName: v.string(),
  proposedAt: instant,
  reasons: v.array(v.pipe(v.string(), v.regex(USED_UP_SLUG))),
  until: v.nullable(instant),
})
/** Schema of the file: proposals by the address of the service. */
const memorySchema = v.object({
  version: v.literal(1),
  services: v.record(v.string(), v.array(proposedOff)),
})

/** Reads the memory of a service. Throws ConfigError if its file cannot be read. */
export function planMemory(context: CliContext, service: string): PlanMemory {
  const path = pathIn(context)
  const { services } = memoryIn(path, context)
  const { [service]: proposed = [], ...others } = services
  return {
    proposed,
    keep(next) {
      if (JSON.stringify(next) === JSON.stringify(proposed)) return
      const memory = {
        version: 1,
        services: { ...others, ...(next.length > 0 && { [service]: next }) },
      }
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        replaceFile(path, `${JSON.stringify(memory, null, 1)}\n`, 0o600)
      } catch (error) {
        throw unusable(
          path,
          `cannot be written (${errorCodeOf(error)}): XDG_STATE_HOME names another folder`,
        )
      }
    },
  }
}

/** Path of the memory file. A relative XDG_STATE_HOME is ignored, as its specification requires. */
function pathIn({ env, homeDir }: CliContext): string {
  const given = env.XDG_STATE_HOME ?? ''
  const state = isAbsolute(given) ? given : join(homeDir, '.local/state')
  return join(state, 'svc-quota-monitor/plan.json')
}

function memoryIn(path: string, { readTextFile }: CliContext): v.InferOutput<typeof memorySchema> {
  let text: string
  try {
    text = readTextFile(path)
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return { version: 1, services: {} }
    throw unusable(path, `cannot be read (${errorCodeOf(error)})`)
  }
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), memorySchema), text)
  if (read.success) return read.output
  throw unusable(path, 'is damaged: move it away, and switch on by hand what it had switched off')
}

function unusable(path: string, what: string): ConfigError {
  return new ConfigError({
    code: 'unreadable_file',
    message: `what plan remembers, ${path}, ${what}`,
  })
}
