import { type Clock, instantToIso, type Log, type LogFields } from '@svc/core'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogOptions {
  readonly level: LogLevel
  readonly format: 'text' | 'json'
  readonly write: (line: string) => void
  readonly clock: Clock
}

const LEVEL_RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** A field never takes more room than this in a line. Source: outputs-and-redaction 1.9. */
const FIELD_LENGTH_MAX = 512
/** Elements of a list that a line shows. */
const LIST_LENGTH_MAX = 32
/** A warning or error that repeats is written at most this often; the next line says how many were held back. */
const REPEAT_INTERVAL_MS = 60_000
/** Different faults remembered at a time; the oldest is forgotten first. */
const FAULTS_REMEMBERED_MAX = 256
/** Fields that tell one fault from another; the rest may vary from line to line. */
const FAULT_FIELDS = ['source', 'endpoint', 'reason', 'code', 'key'] as const

/**
 * A log of one line per event on `write`. Every foreign string is escaped and cut, so that no value can break a line,
 * colour a terminal or turn text around. Warnings and errors that repeat are written once a minute.
 */
export function createLog(options: LogOptions): Log {
  const faults = new Map<string, { writtenAtMs: number; heldBack: number }>()

  const emit = (level: LogLevel, event: string, fields: LogFields = {}) => {
    if (LEVEL_RANK[level] < LEVEL_RANK[options.level]) return
    const held = LEVEL_RANK[level] < LEVEL_RANK.warn ? 0 : heldBackLines(faults, faultOf(event, fields), options.clock.monotonicMs())
    if (held === null) return
    const time = instantToIso(options.clock.now())
    const shown = held === 0 ? fields : { ...fields, repeated: held }
    options.write(options.format === 'json' ? jsonLine(time, level, event, shown) : textLine(time, level, event, shown))
  }

  return {
    debug: (event, fields) => emit('debug', event, fields),
    info: (event, fields) => emit('info', event, fields),
    warn: (event, fields) => emit('warn', event, fields),
    error: (event, fields) => emit('error', event, fields),
  }
}

/** Lines of this fault held back since the last one written; null when this one is to be held back too. */
function heldBackLines(faults: Map<string, { writtenAtMs: number; heldBack: number }>, fault: string, nowMs: number): number | null {
  const known = faults.get(fault)
  if (known !== undefined && nowMs - known.writtenAtMs < REPEAT_INTERVAL_MS) {
    known.heldBack += 1
    return null
  }
  faults.delete(fault)
  faults.set(fault, { writtenAtMs: nowMs, heldBack: 0 })
  if (faults.size > FAULTS_REMEMBERED_MAX) faults.delete(faults.keys().next().value ?? fault)
  return known?.heldBack ?? 0
}

function faultOf(event: string, fields: LogFields): string {
  return [event, ...FAULT_FIELDS.map((name) => fields[name] ?? '')].join('\u0000')
}

function jsonLine(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const safe = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? escapeForLog(value) : isList(value) ? value.slice(0, LIST_LENGTH_MAX).map(escapeForLog) : value,
    ]),
  )
  return `${JSON.stringify({ time, level, event, ...safe })}\n`
}

function textLine(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const parts = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [`${name}=${textValue(value)}`]))
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

/** Control characters (C0, C1, ANSI escapes among them), bidirectional controls, line separators and lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be kept out of a log line.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu

/** A foreign string as it may stand in a log line: escaped, and cut at 512 characters. */
export function escapeForLog(value: string): string {
  const cut = value.length > FIELD_LENGTH_MAX ? `${value.slice(0, FIELD_LENGTH_MAX)}…` : value
  return cut.replace(UNSAFE, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
}
