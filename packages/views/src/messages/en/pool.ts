import type { WindowId } from '@svc/core'
import { countedText, countText } from '../../format/format.ts'
import { windowLabel } from './window-label.ts'

/** What is left of the pool in one window; all but the bound are texts of Plus units. */
interface Left {
  readonly known: string
  readonly tracked: string
  /** Null where all of it is known. */
  readonly unknown: string | null
  readonly isLowerBound: boolean
}

/** The next reset that returns quota. */
interface Return {
  readonly units: string
  readonly when: string
  readonly duration: string
}

/** When a window of an account is full again. */
interface WindowReset {
  readonly windowId: WindowId
  readonly when: string
  readonly remaining: string
}

interface Ranking {
  readonly routableCount: number
  readonly blockedCount: number
  readonly topScore: number
}

/** How far the first round has come; `doneAt` null where its end is not known. */
interface Round {
  readonly readCount: number
  readonly toReadCount: number
  readonly doneAt: string | null
}

/** The pool and the windows of its accounts. */
export const pool = {
  noTrackedQuota: 'No tracked quota',
  left: ({ known, tracked, unknown, isLowerBound }: Left) => {
    const left = `${known} of ${tracked} Plus left`
    if (unknown === null) return left
    return `${isLowerBound ? 'At least ' : ''}${left}, ${unknown} unknown`
  },
  nextReturn: ({ units, when, duration }: Return) => `+${units} Plus ${when}, in ${duration}`,
  runway: {
    burn: (units: string) => `−${units} Plus/h`,
    burnUnknown: 'Burn not known yet',
    dryIn: (duration: string) => `dry in ${duration}`,
    lasts: (hours: number) => `lasts beyond ${hours} h`,
    mayRunDry: (hours: number) => `may run dry within ${hours} h`,
    lapsing: (count: number, hours: number) =>
      `less ${countedText(count, 'subscription')} ending within ${hours} h`,
  },
  firstRound: ({ readCount, toReadCount, doneAt }: Round) =>
    `Reading ${countText(readCount)} of ${countedText(toReadCount, 'account')}${doneAt === null ? '' : `, done about ${doneAt}`}`,
  ranking: ({ routableCount, blockedCount, topScore }: Ranking) =>
    `${countText(routableCount)} routable · ${countText(blockedCount)} blocked · top score ${topScore}`,
  windowReset: ({ windowId, when, remaining }: WindowReset) =>
    `${windowLabel(windowId)} resets ${when}, in ${remaining}`,
  rolledOver: 'reset, unconfirmed',
  unknown: 'unknown',
}
