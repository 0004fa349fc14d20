import type { EpochMs, QuotaSample } from '@svc/core'
import { displayText } from '../../wire/wire-fields.ts'
import { unknownNamesOf } from '../contract/quota-answer.ts'
import { headerTextsOf } from '../contract/statements.ts'
import { featureSlugOf, ignoredHeaders, readLimits, SLOTS, type WireLimit } from './limit.ts'

const PREFIX = 'x-codex-'
const PLAN = 'plan-type'
/** Name of a header: limit, slot and field. Without a limit it is the account's own; without a slot the field describes the whole limit. */
const FIELD = new RegExp(
  `^(?:(.{1,80}?)-)??(?:(${SLOTS.join('|')})-)?(used-percent|window-minutes|reset-at|reset-after-seconds|allowed|limit-reached|limit-name|over-secondary-limit-percent|rate-limit-reached-type)$`,
)
const TEXT_LENGTH_MAX = 64
const LIMITS_MAX = 20

/** Fields of one limit by slot, named as in answers; fields of the whole limit have an empty slot. */
type Slots = Map<string, Map<string, string>>

/** The quota in the vendor's headers, or in the proxy's `signals` of the same names; null if they have none. See docs/upstream.md#usage-records. */
export function windowsFromHeaders(headers: unknown, sampledAt: EpochMs): QuotaSample | null {
  const own: Slots = new Map()
  const limits = new Map([['', own]])
  const unknown: string[] = []
  let plan: string | null = null
  for (const [header, value] of headerTextsOf(headers)) {
    if (!header.startsWith(PREFIX)) continue
    const name = header.slice(PREFIX.length)
    const { limit, slot, field } = placeNamed(name)
    if (name === PLAN) plan = value.slice(0, TEXT_LENGTH_MAX)
    else if (field === '') {
      if (!ignoredHeaders.has(name)) unknown.push(header)
    } else if (limits.has(limit) || limits.size < LIMITS_MAX) {
      const slots = limits.get(limit) ?? new Map<string, Map<string, string>>()
      const fields = slots.get(slot) ?? new Map<string, string>()
      limits.set(limit, slots.set(slot, fields.set(field, value)))
    }
  }
  // Most records have none.
  if (own.size === 0 && limits.size === 1) return null
  const { unknownNames, ...read } = readLimits([...limits].map(wireLimitOf), sampledAt)
  const saysNothing = !read.limitReached && read.allowed !== true && read.spendReached === null
  if (saysNothing && read.windows.length === 0) return null
  return {
    origin: 'headers',
    sampledAt,
    plan,
    ...read,
    // Headers show what one request touched: they never prove that a window is absent.
    unreadableWindowCount: 0,
    ...unknownNamesOf([...unknown, ...unknownNames]),
  }
}

/** Limit, slot and field (in snake case) that a header belongs to; `field` is empty for any other header. */
interface Place {
  readonly limit: string
  readonly slot: string
  readonly field: string
}

const places = new Map<string, Place>()
const PLACES_MAX = 256

/** Place of a header by its name. Remembered, because every usage record has the same few names. */
function placeNamed(name: string): Place {
  const known = places.get(name)
  if (known !== undefined) return known
  const [, limit = '', slot = '', field = ''] = FIELD.exec(name) ?? []
  const isLost = slot === '' && isOfSlot(field)
  const place = { limit, slot, field: isLost ? '' : field.replaceAll('-', '_') }
  if (places.size === PLACES_MAX) places.clear()
  places.set(name, place)
  return place
}

function isOfSlot(field: string): boolean {
  return !/allowed|limit/.test(field)
}

/** Converts a limit in headers. The limit of a model group gets the same id as in the vendor's answer, any other an id derived from its name. */
function wireLimitOf([name, slots]: readonly [string, Slots]): WireLimit {
  const valueIn = (slot: string) => {
    const fields = slots.get(slot)
    return (field: string) => fields?.get(field)
  }
  const additional = /^additional-(.+)$/.exec(name)?.[1]
  const texts = [...slots.values()].flatMap((fields) => fields.get('limit_name') ?? [])
  const label = displayText(texts[0] ?? additional ?? '', TEXT_LENGTH_MAX)
  return {
    scope:
      name === '' || name === 'code-review'
        ? name.replace('-', '_')
        : `extra:${additional === undefined ? `codex_${featureSlugOf(name)}` : featureSlugOf(additional)}`,
    ...(label !== '' && { label }),
    windows: [...slots.keys()].flatMap((slot) =>
      slot === '' || !slots.get(slot)?.has('window_minutes')
        ? []
        : { slot, fieldOf: valueIn(slot) },
    ),
    fieldOf: valueIn(''),
  }
}
