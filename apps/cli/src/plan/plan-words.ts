import type { Recommendations } from '@svc/client'
import { ConfigError } from '@svc/config'
import { type EpochMs, instantToIso } from '@svc/core'
import type { PlanChange, ProposedOff } from '@svc/core/pool'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { createZone, printable, type Zone } from '@svc/views/format'
import { clauseOf, usedUpText } from '@svc/views/messages'
import type { CliContext } from '../program/cli-context.ts'
import { planMemory } from './plan-memory.ts'
import type { WordedChange } from './plan-script.ts'

type Item = Recommendations['items'][number]

/** Beginning of the slugs of used-up windows. */
export const USED_UP = 'quota_exhausted_'

/** Used-up windows in words: `Weekly quota used up`. */
function usedUpWords(slugs: readonly string[]): string {
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
function switchedOff(
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

interface Moment {
  readonly zone: Zone
  readonly now: EpochMs
  readonly isFleet: boolean
}

export function wordedChange(change: PlanChange, { isFleet, ...moment }: Moment): WordedChange {
  const reason = reasonOf(change, moment)
  return { change, reason, line: lineOf(verbOf(change), change, { isFleet, reason }) }
}

/** One line for a file that stays off, in the format of the lines for changes. */
export function offLine(file: ProposedOff, { isFleet, ...moment }: Moment): string {
  const { since, why } = switchedOff(file, moment)
  return `${lineOf('off', file, { isFleet, reason: `${since} ${why}` })}\n`
}

function lineOf(
  verb: string,
  { authName, upstream }: Pick<PlanChange, 'authName' | 'upstream'>,
  { isFleet, reason }: { readonly isFleet: boolean; readonly reason: string },
): string {
  const place = isFleet ? ` at ${upstream}` : ''
  return printable(`${verb.padEnd(10)}  ${authName}${place}  ${reason}`)
}

function verbOf(change: PlanChange): string {
  if (change.kind === 'set_priority') return `priority ${change.to}`
  return change.kind === 'switch_off' ? 'switch off' : 'switch on'
}

function reasonOf(change: PlanChange, { zone, now }: Pick<Moment, 'zone' | 'now'>): string {
  if (change.kind === 'set_priority')
    return `score ${change.score}, the best has ${change.bestScore}; the priority is ${change.from ?? 'not set'}`
  const usedUp = usedUpWords(change.reasons)
  if (change.kind === 'switch_off')
    return `${usedUp}, ${change.until === null ? 'nobody knows until when' : `until ${zone.momentText(change.until, now)}`}`
  return change.because === 'reset'
    ? `${usedUp} until ${zone.momentText(change.since, now)}`
    : `quota left by the reading ${zone.whenText(change.since, now)}`
}

export function planText(changes: readonly WordedChange[]): string {
  if (changes.length === 0) return 'Nothing to change at the proxy.\n'
  return changes.map(({ line }) => `${line}\n`).join('')
}

export function planDocument(
  { sampledAt }: Recommendations,
  changes: readonly WordedChange[],
  off: readonly ProposedOff[],
  { isFleet, ...moment }: Moment,
) {
  const rows = changes.map(({ change: { upstream, ...change }, reason }) => ({
    ...(isFleet && { upstream }),
    ...change,
    ...('until' in change && { until: isoOf(change.until) }),
    ...('since' in change && { since: isoOf(change.since) }),
    text: reason,
  }))
  const offRows = off.map((file) => ({
    ...(isFleet && { upstream: file.upstream }),
    authName: file.authName,
    reasons: file.reasons,
    since: isoOf(file.proposedAt),
    until: isoOf(file.until),
    text: Object.values(switchedOff(file, moment)).join(' '),
  }))
  return { sampledAt, changes: rows, ...(offRows.length > 0 && { off: offRows }) }
}

function isoOf(at: EpochMs | null): string | null {
  return at === null ? null : instantToIso(at)
}
