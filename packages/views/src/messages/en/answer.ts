import { countedText, countText } from '../../format/format.ts'

/** End of the usable quota; `toHours` is null if it may lie beyond the forecast. */
export type Ending =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'until' | 'beyond'; readonly at: string }
  | { readonly kind: 'rough'; readonly fromHours: number; readonly toHours: number | null }

/** A pool that can work. Strings are moments, or amounts in the unit of the pool. */
interface Going {
  /** Null if unknown. */
  readonly usable: string | null
  readonly unit: string
  readonly first: string
  readonly ending: Ending
  /** Null if no return is known. */
  readonly nextReturn: string | null
  /** Whether `usable` is a lower bound. */
  readonly atLeast: boolean
  /** Null if the first round is over. */
  readonly round: Round | null
}

/** Progress of the first round of readings; `doneAt` is null if the end is unknown. */
export interface Round {
  readonly readCount: number
  readonly toReadCount: number
  readonly doneAt: string | null
}

/** Providers together; each text is a name, or a name and a short answer. */
interface SeveralProviders {
  readonly count: number
  readonly ableCount: number
  /** The first of those that can work. */
  readonly able: readonly string[]
  /** The first of those that cannot, or of which nothing is known. */
  readonly others: readonly string[]
}

/** Sentences that answer whether a big job may start now. */
export const answer = {
  monitorSilent: (since: string) => `Not known: the monitor has been silent since ${since}.`,
  notKnown: (missing: string) => `Not known yet: ${missing}.`,
  noQuotaRead: 'no quota was read',
  reading: ({ readCount, toReadCount, doneAt }: Round) =>
    `Not known yet: ${countText(readCount)} of ${countedText(toReadCount, 'account')} read${doneText(doneAt)}.`,
  proxyDown: (lost: {
    /** True if the proxy answers and only its account list cannot be read. */
    readonly answers: boolean
    readonly address: string | null
    readonly readAt: string | null
    /** Amount that was usable then; null if unknown. */
    readonly usable: string | null
  }) => {
    const proxy = lost.address === null ? 'The proxy' : `The proxy at ${lost.address}`
    const what = lost.answers ? 'The account list cannot be read' : `${proxy} does not answer`
    return lost.readAt === null
      ? `${what}; nothing was read yet.`
      : `${what}; last readings are from ${lost.readAt}${lost.usable === null ? '' : `, with ${lost.usable} usable`}.`
  },
  wait: ({
    until,
    units,
    unit,
  }: {
    readonly until: string | null
    readonly units: string | null
    readonly unit: string
  }) => {
    if (until === null) return 'No account can take work, and no return is known.'
    return units === null
      ? `Wait until ${until}.`
      : `Wait until ${until}: ${units} ${unit} come back.`
  },
  hurry: ({ usable, unit, ending, nextReturn }: Going) =>
    sentence('Yes, but short', ': ', [
      usable === null ? null : `${usable} ${unit} usable`,
      dryText(ending),
      nextReturn === null ? 'no return known' : `next return ${nextReturn}`,
    ]),
  go_short: goText,
  go: goText,
  several: ({ count, ableCount, able, others }: SeveralProviders) => {
    const group = (named: readonly string[], total: number) =>
      [...named, ...(total > named.length ? [`${total - named.length} more`] : [])].join(', ')
    const texts = [group(able, ableCount), group(others, count - ableCount)]
      .filter((text) => text !== '')
      .join('; ')
    return `${countText(ableCount)} of ${countedText(count, 'provider')} can work${texts === '' ? '' : `: ${texts}`}.`
  },
  /** A sentence about readings of an earlier process. */
  dated: (sentence: string, at: string) =>
    `${sentence.slice(0, -1)}; readings are from ${at}, the proxy has not answered yet.`,
  /** Answers in a few words, as in a table. */
  short: {
    going: (ending: Ending) =>
      ending.kind === 'unknown'
        ? 'usable'
        : ending.kind === 'rough'
          ? hoursText(ending)
          : `${ending.kind} ${ending.at}`,
    dry: (ending: Ending) => dryText(ending)?.replace('about ', '') ?? 'runs dry',
    wait: (until: string | null) => (until === null ? 'no return known' : `next ${until}`),
    beingRead: 'is being read',
    notKnown: 'not known yet',
    proxyDown: 'proxy does not answer',
  },
}

function doneText(doneAt: string | null): string {
  return doneAt === null ? '' : `, done about ${doneAt}`
}

function goText({ usable, unit, first, ending, atLeast, round }: Going): string {
  const isBound = atLeast && usable !== null
  const text = sentence('Yes', isBound ? ', ' : '. ', [
    usable === null
      ? null
      : `${isBound ? 'at least ' : ''}${usable} ${unit} usable${isBound ? '' : ' now'}`,
    `${first} first`,
    lastsText(ending),
  ])
  if (round === null) return text
  const { readCount, toReadCount, doneAt } = round
  return `${text.slice(0, -1)}; ${countText(readCount)} of ${countText(toReadCount)} read${doneText(doneAt)}.`
}

function sentence(verdict: string, mark: string, parts: readonly (string | null)[]): string {
  return `${verdict}${mark}${parts.filter((part) => part !== null).join(', ')}.`
}

function lastsText(ending: Ending): string | null {
  switch (ending.kind) {
    case 'unknown':
      return null
    case 'rough':
      return `lasts ${hoursText(ending)}`
    case 'until':
      return `lasts until about ${ending.at}`
    default:
      return `lasts beyond ${ending.at}`
  }
}

function dryText(ending: Ending): string | null {
  if (ending.kind === 'rough') return `dry in ${hoursText(ending)}`
  return ending.kind === 'until' ? `dry about ${ending.at}` : null
}

function hoursText({ fromHours, toHours }: Extract<Ending, { readonly kind: 'rough' }>): string {
  return toHours === null ? `${fromHours} h or more` : `${fromHours} to ${toHours} h`
}
