import type { PickReason, Snapshot, WindowId } from '@svc/core'
import { countedText, countText } from '../../format/format.ts'
import type { Round } from './answer.ts'
import { windowLabel } from './names.ts'

/** Quota left in one window. All strings except `unit` are amounts in that unit. */
interface Left {
  readonly usable: string
  /** The part on blocked accounts; null if there is none. */
  readonly held: string | null
  readonly tracked: string
  /** Null if all quota is known. */
  readonly unknown: string | null
  readonly isLowerBound: boolean
  readonly unit: string
}

interface Return {
  readonly units: string
  readonly unit: string
  readonly when: string
  readonly duration: string
}

interface WindowReset {
  readonly window: string
  readonly when: string
  readonly remaining: string
}

export const pool = {
  noTrackedQuota: 'No tracked quota',
  left: ({ usable, held, tracked, unknown, isLowerBound, unit }: Left) => {
    const texts = [`${usable} of ${tracked} ${unit} usable`]
    if (held !== null) texts.push(`${held} held`)
    if (unknown !== null) texts.push(`${unknown} unknown`)
    return `${isLowerBound ? 'At least ' : ''}${texts.join(', ')}`
  },
  nextReturn: ({ units, unit, when, duration }: Return) =>
    `+${units} ${unit} ${when}, in ${duration}`,
  runway: {
    burn: (units: string, unit: string) => `−${units} ${unit}/h`,
    burnUnknown: 'Burn not known yet',
    dryIn: (duration: string) => `dry in ${duration}`,
    lasts: (hours: number) => `lasts beyond ${hours} h`,
    /** `to` is null if the pool may run dry only after the forecast. */
    rough: (from: number, to: number | null) =>
      `rough: ${to === null ? `${from} h or more` : `${from} to ${to} h`}`,
    mayRunDry: (hours: number) => `may run dry within ${hours} h`,
    lapsing: (count: number, hours: number) =>
      `less ${countedText(count, 'subscription')} ending within ${hours} h`,
  },
  firstRound: ({ readCount, toReadCount, doneAt }: Round) =>
    `Reading ${countText(readCount)} of ${countedText(toReadCount, 'account')}${doneAt === null ? '' : `, done about ${doneAt}`}`,
  ranking: ({
    routableCount,
    blockedCount,
    topScore,
  }: Pick<Snapshot, 'routableCount' | 'blockedCount' | 'topScore'>) =>
    `${countText(routableCount)} routable · ${countText(blockedCount)} blocked · top score ${topScore}`,
  windowReset: ({ window, when, remaining }: WindowReset) =>
    `${window} resets ${when}, in ${remaining}`,
  windowNotStarted: (window: string) => `${window} starts with first use`,
  rolledOver: 'reset, unconfirmed',
  amountReached: 'reached',
  unknown: 'unknown',
  notReported: 'not reported',
  quotaNotReported: 'quota not reported',
}

/** Reason of a pick. */
export const picks: Readonly<Record<PickReason, string>> = {
  kept: 'The account in use is kept.',
  best: 'The best account.',
  spread: 'Fewer callers use it than a better one.',
  released: 'The caller is forgotten.',
  none_listed: 'No account is listed.',
  none_matching: 'No account fits.',
  all_blocked: 'No account that fits may be used now.',
  all_avoided: 'Every account that fits is avoided.',
}

interface CalendarReset {
  readonly account: string
  readonly windowId: WindowId
}

export const calendar = {
  title: 'Quota resets',
  /** An account in a text without titles; `key` is the beginning of its key. */
  account: ({ plan, key }: { readonly plan: string; readonly key: string }) =>
    `${plan} account ${key}`,
  reset: ({ account, windowId }: CalendarReset) => `${windowLabel(windowId)} reset: ${account}`,
  gives: (units: string, unit: string) => `Gives back ${units} ${unit}.`,
  subscriptionEnds: (account: string) => `Subscription ends: ${account}`,
  bankedResetLapses: (account: string) => `Banked reset lapses: ${account}`,
  spendBefore: 'It can be spent in Codex until then.',
  /** `seen`: time the login was written; null if unknown. */
  asLoginSaid: (seen: string | null) =>
    `As its login ${seen === null ? '' : `of ${seen} `}says; a later renewal would not show.`,
}
