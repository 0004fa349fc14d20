import { type Client, ClientError } from '@svc/client'
import { mainWindows } from '@svc/core'
import {
  countedText,
  countingDurationText,
  createZone,
  unitsText,
  wholeUnitsText,
  type Zone,
} from '@svc/views/format'
import { type Glance, lineFormatNames, lineFormats } from '../glance/line-formats.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { choiceOf, type ParsedOptions } from '../program/flags.ts'
import { askService } from '../service/running-service.ts'

type Health = Awaited<ReturnType<Client['health']>>
type Answer = NonNullable<Health['answer']>
type WindowName = keyof NonNullable<Health['capacity']>

/** Prints the pool in one line, also where the service gives no answer. Resolves with the exit code; throws ConfigError. */
export async function line(options: ParsedOptions, context: CliContext): Promise<number> {
  const write = lineFormats[choiceOf('--format', options.format, lineFormatNames)]
  const isColoured = (context.env.NO_COLOR ?? '') === ''
  return askService(options, context, async (client, url) => {
    const textOf = (glance: Glance) => `${write(glance, isColoured, url)}\n`
    try {
      const zone = createZone(context.hostTimeZone ?? 'UTC')
      const glance = glanceOf(await client.health(), context.clock.now(), zone)
      return { exit: EXIT.ok, text: () => textOf(glance) }
    } catch (error) {
      if (error instanceof ClientError) context.stdout(textOf(lostGlance(error)))
      throw error
    }
  })
}

const [fiveHour, week] = mainWindows
/** Names as shown, by those in the contract. */
const windowLabels: Readonly<Record<WindowName, string>> = { fiveHour: fiveHour.id, week: week.id }
const windowNames = Object.keys(windowLabels) as WindowName[]
const NOT_READY: Answer = { code: 'not_ready', tone: 'unknown', text: '', at: null }

/** The window that binds is the one that the service names. `now` is the machine's time. */
function glanceOf(health: Health, now: number, zone: Zone): Glance {
  const { answer = NOT_READY, capacity, recommendations, sampledAt, actionCount } = health
  const { code, tone, at, window = null, nextReturn = null } = answer
  const moment = (instant: string) => zone.momentText(Date.parse(instant), now)
  const dry = at !== null && (code === 'hurry' || code === 'go_short') ? `dry ${moment(at)}` : null
  const units = nextReturn?.units ?? null
  const next =
    nextReturn && `${units === null ? 'return' : `+${unitsText(units)}`} ${moment(nextReturn.at)}`
  const age = sampledAt && `${countingDurationText((now - Date.parse(sampledAt)) / 1000)} ago`
  const ranking =
    recommendations &&
    `${recommendations.routableCount} routable · ${recommendations.blockedCount} blocked`
  const { usablePercent, percent } = (window !== null && capacity?.[window]) || {}
  return {
    tone,
    code,
    line: said([
      subjectOf(health, answer),
      code === 'hurry' && dry,
      next ?? (code === 'wait' && 'no return known'),
      tone === 'good' ? 'ok' : tone,
      age,
    ]).join(' · '),
    details: said([
      ...windowNames.map((name) => windowText(name, health)),
      next && `next ${next}`,
      ranking,
      dry,
      countedText(actionCount, 'action'),
      age && `read ${age}`,
    ]),
    percent: code === 'wait' ? 0 : (usablePercent ?? percent ?? null),
  }
}

/** The glance without an answer, so that a bar does not fall silent with the service. */
function lostGlance({ code, message }: ClientError): Glance {
  const line = `monitor ${code === 'refused' ? 'refuses' : 'not reachable'} · bad`
  return { tone: 'bad', code, line, details: [message], percent: null }
}

function said(parts: readonly (string | false | null | undefined)[]): string[] {
  return parts.filter((part) => typeof part === 'string')
}

function subjectOf(health: Health, { code, window }: Answer): string {
  const unknown = 'quota not known yet'
  if (code === 'monitor_silent') return 'monitor silent'
  if (code === 'proxy_down') return 'proxy down'
  if (code === 'wait') return 'no account routable'
  if (code !== 'not_ready') return windowText(window ?? 'fiveHour', health) ?? unknown
  const { accountsRead, accountsToRead } = health.firstRound ?? {}
  return accountsRead === undefined ? unknown : `${accountsRead} of ${accountsToRead} accounts read`
}

/** Null if the service says nothing of its capacity. */
function windowText(name: WindowName, { capacity, recommendations }: Health): string | null {
  if (capacity === undefined) return null
  const { usableUnits = 0, trackedUnits, atLeast = false, ...rest } = capacity[name]
  const { usableStaleUnits = rest.staleUnits } = rest
  // Of routable accounts whose weight nobody knows.
  const isUnknown = usableUnits === 0 && recommendations?.routableCount !== 0
  const units = isUnknown ? 'unknown' : `${atLeast ? '≥' : ''}${unitsText(usableUnits)}`
  const stale = usableUnits > 0 && usableStaleUnits >= usableUnits ? ' stale' : ''
  return `${windowLabels[name]} ${units} of ${wholeUnitsText(trackedUnits)} Plus${stale}`
}
