import type { Client } from '@svc/client'
import { ConfigError } from '@svc/config'
import type { ProposedOff } from '@svc/core/pool'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { createZone, type Zone } from '@svc/views/format'
import { clauseOf, usedUpText } from '@svc/views/messages'
import type { CliContext } from '../program/cli-context.ts'
import { planMemory } from './plan-memory.ts'

type Item = Awaited<ReturnType<Client['recommendations']>>['items'][number]

/** Beginning of the slugs of used-up windows. */
export const USED_UP = 'quota_exhausted_'

/** Used-up windows in words: `Weekly quota used up`. */
export function usedUpWords(slugs: readonly string[]): string {
  return slugs.map((slug) => usedUpText(slug.slice(USED_UP.length))).join(', ')
}

/** Words about a file that is off because `plan` proposed it. */
interface SwitchedOff {
  /** `since 14:02` */
  readonly since: string
  /** `because weekly quota used up until Tue 09:10` */
  readonly why: string
}

/**
 * Words for a proposal that was carried out. The proposal was last made right before the file was switched off, so `proposedAt` is the time of that.
 */
export function switchedOff(
  { proposedAt, reasons, until }: ProposedOff,
  { zone, now }: { readonly zone: Zone; readonly now: number },
): SwitchedOff {
  const end = until === null ? ', nobody knows until when' : ` until ${zone.momentText(until, now)}`
  return {
    since: `since ${zone.momentText(proposedAt, now)}`,
    why: `because ${clauseOf(usedUpWords(reasons))}${end}`,
  }
}

/**
 * Returns a function that finds the proposal of this user's `plan` for a file that is off; undefined for any other file. If the memory of `plan` is
 * unusable, prints one line on stderr and finds nothing.
 */
export function switchedOffIn(
  context: CliContext,
  service: string,
): (item: Item) => (SwitchedOff & Pick<ProposedOff, 'until'>) | undefined {
  const moment = { zone: createZone(context.hostTimeZone ?? 'UTC'), now: context.clock.now() }
  const proposed = proposedIn(context, service)
  return ({ selector, upstream = DEFAULT_UPSTREAM, blocked }) => {
    if (blocked?.some(({ slug }) => slug === 'operator_disabled') !== true) return undefined
    const file = proposed.find(
      (one) => one.authName === selector.authName && one.upstream === upstream,
    )
    return file && { ...switchedOff(file, moment), until: file.until }
  }
}

function proposedIn(context: CliContext, service: string): readonly ProposedOff[] {
  try {
    return planMemory(context, service).proposed
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    context.stderr(`svc-quota-monitor: ${error.message}\n`)
    return []
  }
}
