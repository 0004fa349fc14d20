import { type EpochMs, instantToIso } from '@svc/core'
import type { Clock, Log, LogFields, LogKind } from '@svc/core/service'

/** Ordered from most to least verbose. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Options of a log: lowest level, text or JSON, and the sink. */
export interface LogOptions {
  readonly level: LogLevel
  readonly format: 'text' | 'json'
  readonly write: (line: string) => void
  readonly clock: Clock
}

const LEVEL_RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Longest field in a line. See docs/limits.md#log-lines. */
const FIELD_LENGTH_MAX = 512
/** Maximum number of list elements that a line shows. */
const LIST_LENGTH_MAX = 32
/** Shortest interval between two lines of a repeated fault. */
const REPEAT_INTERVAL_MS = 60_000
/** Maximum number of faults remembered at a time; the oldest is forgotten first. */
const FAULTS_REMEMBERED_MAX = 256
/** Fields that distinguish faults; the other fields may vary from line to line. */
const FAULT_FIELDS = ['upstream', 'source', 'endpoint', 'reason', 'code', 'key'] as const

interface Line {
  readonly at: EpochMs
  readonly level: LogLevel
  readonly event: string
  readonly fields: LogFields
}

/**
 * Creates a log that writes one line per event. Every foreign string is escaped and cut, so that no value can break a
 * line, colour a terminal or reverse text. Repeated faults are written once a minute.
 */
export function createLog({ level: lowest, format, write, clock }: LogOptions): Log {
  const put = ({ at, level, event, fields }: Line, repeated: number) => {
    const shown = repeated === 0 ? fields : { ...fields, repeated }
    write(
      format === 'json'
        ? jsonLine(instantToIso(at), level, event, shown)
        : textLine(instantToIso(at), level, event, shown),
    )
  }
  const tellFault = createFaults(clock, put)
  const emit = (level: LogLevel, event: string, fields: LogFields = {}, kind: LogKind = 'news') => {
    if (LEVEL_RANK[level] < LEVEL_RANK[lowest]) return
    const line = { at: clock.now(), level, event, fields }
    if (kind === 'fault') tellFault(line)
    else put(line, 0)
  }

  return {
    debug: (event, fields) => emit('debug', event, fields),
    info: (event, fields) => emit('info', event, fields),
    warn: (event, fields, kind = 'fault') => emit('warn', event, fields, kind),
    error: (event, fields, kind = 'fault') => emit('error', event, fields, kind),
  }
}

/** A fault written within the last minute. */
interface KnownFault {
  readonly untilMs: number
  held: Line | null
  heldCount: number
  cancel: () => void
}

/** Writes a fault at once, then once a minute the last suppressed line, with its own time and the number of further ones. */
function createFaults(
  clock: Clock,
  put: (line: Line, repeated: number) => void,
): (line: Line) => void {
  const known = new Map<string, KnownFault>()

  const written = (name: string) => {
    known.delete(name)
    known.set(name, {
      untilMs: clock.monotonicMs() + REPEAT_INTERVAL_MS,
      held: null,
      heldCount: 0,
      cancel: () => {},
    })
    const [oldest = name] = known.keys()
    if (known.size > FAULTS_REMEMBERED_MAX) forget(oldest)
  }
  /** Writes the suppressed line; true if there was one. */
  const forget = (name: string): boolean => {
    const fault = known.get(name)
    known.delete(name)
    fault?.cancel()
    if (fault === undefined || fault.held === null) return false
    put(fault.held, fault.heldCount - 1)
    return true
  }

  return (line) => {
    const name = faultOf(line.event, line.fields)
    const fault = known.get(name)
    const leftMs = fault === undefined ? 0 : fault.untilMs - clock.monotonicMs()
    if (fault === undefined || leftMs <= 0) {
      forget(name)
      put(line, 0)
      return written(name)
    }
    if (fault.held === null) {
      fault.cancel = clock.schedule(leftMs, () => {
        if (forget(name)) written(name)
      })
    }
    fault.held = line
    fault.heldCount += 1
  }
}

function faultOf(event: string, fields: LogFields): string {
  return [event, ...FAULT_FIELDS.map((name) => fields[name] ?? '')].join('\u0000')
}

function jsonLine(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const safe = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? escapeForLog(value)
        : isList(value)
          ? value.slice(0, LIST_LENGTH_MAX).map(escapeForLog)
          : value,
    ]),
  )
  return `${JSON.stringify({ time, level, event, ...safe })}\n`
}

function textLine(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${textValue(value)}`],
  )
  return `${[time, level.padEnd(5), event, ...parts].join(' ')}\n`
}

function textValue(value: NonNullable<LogFields[string]>): string {
  if (isList(value)) return textValue(value.join(', '))
  if (typeof value !== 'string') return String(value)
  const escaped = escapeForLog(value)
  return /^[\w.:/@+-]+$/.test(escaped) ? escaped : `"${escaped.replaceAll('"', '\\"')}"`
}

function isList(value: LogFields[string]): value is readonly string[] {
  return Array.isArray(value)
}

/** Control characters (C0 and C1, including ANSI escapes), bidirectional controls, line separators and lone surrogates. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be kept out of a log line.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu

/** A foreign string made safe for a log line: escaped, and cut at 512 characters. */
export function escapeForLog(value: string): string {
  const cut = value.length > FIELD_LENGTH_MAX ? `${value.slice(0, FIELD_LENGTH_MAX)}…` : value
  return cut.replace(
    UNSAFE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
