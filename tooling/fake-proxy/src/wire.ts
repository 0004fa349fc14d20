import { type EpochMs, instantToIso, plusMs } from '@svc/core'
import type { Context } from 'hono'
import { ConnectionDropped, type RawAnswer } from './faults.ts'

/** JSON as written by the proxy's Go encoder: the characters `<`, `>` and `&` are escaped inside strings. */
export function goJson(value: unknown, status = 200): Response {
  const text = JSON.stringify(value).replace(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  )
  return new Response(text, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })
}

/** The instant in Go's RFC 3339 with nanoseconds. Digits below the millisecond are invented, so that readers meet all nine. */
export function goTime(instant: EpochMs, utcOffsetMinutes: number): string {
  const local = instantToIso(plusMs(instant, utcOffsetMinutes * 60_000)).slice(0, -1)
  return `${local}807952${utcOffsetMinutes === 0 ? 'Z' : offsetText(utcOffsetMinutes)}`
}

function offsetText(utcOffsetMinutes: number): string {
  const minutes = Math.abs(utcOffsetMinutes)
  return `${utcOffsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

/** A duration in Go's notation, rounded to seconds, as in `29m59s` or `1h0m3s`. */
export function goDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (hours > 0) return `${hours}h${minutes}m${seconds % 60}s`
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}

const WEEKDAYS = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'] as const
const MONTHS = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
] as const

/** The instant as an HTTP `Date` header. */
export function httpDate(instant: EpochMs): string {
  const iso = instantToIso(instant)
  const weekday = WEEKDAYS[Math.floor(instant / 86_400_000) % 7]
  const month = MONTHS[Number(iso.slice(5, 7)) - 1]
  return `${weekday}, ${iso.slice(8, 10)} ${month} ${iso.slice(0, 4)} ${iso.slice(11, 19)} GMT`
}

/** Wall time of `epochMinutes`, as in `23:50`. */
export function clockLabel(epochMinutes: number): string {
  const minuteOfDay = ((epochMinutes % 1440) + 1440) % 1440
  return `${twoDigits(Math.floor(minuteOfDay / 60))}:${twoDigits(minuteOfDay % 60)}`
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0')
}

interface FakeSocket {
  readonly remoteAddress?: string | undefined
  write(bytes: string): unknown
  end(): unknown
  destroy(): unknown
  resetAndDestroy(): unknown
}

/** Input from the node server in addition to the request; absent if the app is called directly. */
export type FakeEnv = {
  Bindings: { readonly incoming?: { readonly socket: FakeSocket } }
}

const RESET_AFTER_MS = 20

/** Sends the bytes directly to the socket, after which the HTTP server must send nothing more. Throws ConnectionDropped without a socket. */
export function sendRaw({ bytes, ending }: RawAnswer, socket: FakeSocket | undefined): Response {
  if (socket === undefined) throw new ConnectionDropped('broken framing needs a socket')
  socket.write(bytes)
  // Waits, because a reset that overtakes the bytes would look like a dropped connection.
  if (ending === 'reset') setTimeout(() => socket.resetAndDestroy(), RESET_AFTER_MS)
  if (ending === 'close') socket.end()
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
}

/** Address whose failures the ban counts. The proxy believes forwarding headers from anyone (docs/upstream.md#management-access). */
export function clientAddress(c: Context<FakeEnv>): string {
  const forwarded =
    c.req.header('x-forwarded-for')?.split(',')[0]?.trim() ?? c.req.header('x-real-ip')
  return forwarded ?? c.env?.incoming?.socket.remoteAddress ?? '127.0.0.1'
}
