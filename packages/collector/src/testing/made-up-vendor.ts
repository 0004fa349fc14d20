import { type EpochMs, epochMs, type QuotaSample } from '@svc/core'
import type { Provider, QueryBudget } from '../providers/contract/provider.ts'
import { readQuotaAnswer } from '../providers/contract/quota-answer.ts'

const MINUTE_SECONDS = 60

/** Budget of the made-up vendor: one query of an account in 10 min, 3 s apart; a throttle pauses all for 30 min, up to 6 h. */
export const madeUpBudget: QueryBudget = {
  perAccountSeconds: 10 * MINUTE_SECONDS,
  apartSeconds: 3,
  pause: { firstSeconds: 30 * MINUTE_SECONDS, longestSeconds: 360 * MINUTE_SECONDS },
  blockedPauses: true,
  revokedStops: false,
}

/** A vendor under the name of `kimi` that tells percents left of both main windows, and its plan elsewhere once a day. */
export function aMadeUpVendor(
  changes: Partial<Provider> = {},
  budget: Partial<QueryBudget> = {},
): Provider {
  return {
    id: 'kimi',
    endpoint: 'made-up',
    politeness: { seconds: 20, answerBytesMax: 4096, budget: { ...madeUpBudget, ...budget } },
    identityOf: () => ({ vendorAccountId: null, claimedPlan: null, subscribedUntil: null }),
    loginOf: () => ({ bearer: 'canary-token', vendorAccountId: null, disabled: false }),
    quotaRequest: ({ bearer }) => ({
      url: 'https://vendor.test/quota',
      headers: { Authorization: `Bearer ${bearer}` },
    }),
    windowsOf: (answer) => readQuotaAnswer(answer, sampleOf),
    windowsFromHeaders: () => null,
    readStatusMessage: () => ({ kind: 'none' }),
    refusalIn: () => null,
    ...changes,
  }
}

function sampleOf(document: unknown, sampledAt: EpochMs): QuotaSample | null {
  const { left = null, none = false } = (document ?? {}) as { left?: number; none?: boolean }
  const resetAt = epochMs(sampledAt + 3_600_000)
  return {
    origin: 'direct',
    sampledAt,
    plan: null,
    windows:
      left === null
        ? []
        : [
            { id: '5h', periodSeconds: 18_000, percent: left, resetAt },
            { id: 'week', periodSeconds: 604_800, percent: left, resetAt },
          ],
    unreadableWindowCount: 0,
    limitReached: false,
    spendReached: null,
    ...(none ? { reportsNone: true } : {}),
  }
}
