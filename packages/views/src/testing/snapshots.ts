import {
  accountNamed,
  type EvaluatedAccount,
  type MainWindowId,
  mainWindows,
  type PerWindow,
  plusMs,
  type QuotaWindow,
  resetAtOf,
  type Snapshot,
  secondsUntil,
  windowOf,
  windowQuotasOf,
} from '@svc/core'
import { NO_SCORE } from '@svc/core/account'
import type { OpenAction, ToneAction } from '@svc/core/health'
import { noTrends, nothingBanked, nothingSighted, type WindowCapacity } from '@svc/core/pool'
import { mainWindowOf, perWindow } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import { emptyRow, type UsageRow, type UsageSummary } from '@svc/core/usage'
import { createWording } from '../messages/wording.ts'

/** Time of the accounts' last reading. */
const SAMPLED_AT = fromNow(-40)

type KnownWindow = Extract<QuotaWindow, { readonly state: 'known' }>

export function knownWindow(
  id: MainWindowId,
  percent: number,
  resetsInSeconds: number | null,
  changes: Partial<KnownWindow> = {},
): QuotaWindow {
  const resetAt = resetsInSeconds === null ? null : fromNow(resetsInSeconds)
  return {
    ...base(id),
    state: 'known',
    percent,
    resetAt,
    rolledOverAt: null,
    sampledAt: SAMPLED_AT,
    origin: 'direct',
    stale: false,
    ...changes,
  }
}

export function exhaustedWindow(id: MainWindowId, resetsInSeconds: number | null): QuotaWindow {
  const resetAt = resetsInSeconds === null ? null : fromNow(resetsInSeconds)
  return {
    ...base(id),
    state: 'exhausted',
    percent: 0,
    resetAt,
    sampledAt: SAMPLED_AT,
    origin: 'direct',
    stale: false,
  }
}

export function unknownWindow(id: MainWindowId): QuotaWindow {
  return windowOf([], id)
}

function base(id: MainWindowId): Pick<QuotaWindow, 'id' | 'periodSeconds'> {
  return { id, periodSeconds: mainWindowOf(id).seconds }
}

/** A routable Plus account in good health. */
export function anEvaluatedAccount(
  name: string,
  changes: Partial<EvaluatedAccount> = {},
): EvaluatedAccount {
  const selector = {
    authName: `codex-${name}@example.com-plus.json`,
    authIndex: 'c0ffee09a1c2d3e4',
    accountKey: '0123456789abcdef',
  }
  const title = `${name}@example.com`
  const windows = changes.windows ?? [
    knownWindow('5h', 74, 49 * 60),
    knownWindow('week', 66.4, 4.5 * 86_400),
  ]
  return {
    selector,
    title,
    account: accountNamed(selector.authName, { selector, title }),
    plan: 'plus',
    capacityWeight: 1,
    windows,
    quota: windowQuotasOf(windows, 6),
    scopedWindows: [],
    status: { kind: 'active', tone: 'good', until: null },
    blockedReasons: [],
    routable: true,
    heldUntil: null,
    coolsUntil: null,
    deactivated: false,
    loginLoss: null,
    score: 64,
    scoreComponents: { ...NO_SCORE, capacity: 40, health: 20, plan: 1, load: 0, reclaim: 3 },
    reclaim: null,
    failureRatio: null,
    quotaClass: 'primary',
    sampleEverySeconds: 300,
    lastSample: { at: SAMPLED_AT, origin: 'direct' },
    disabledProbe: { state: 'unknown' },
    countedInCapacity: true,
    ...changes,
  }
}

export function aBlockedAccount(
  name: string,
  reason: EvaluatedAccount['blockedReasons'][number],
  changes: Partial<EvaluatedAccount>,
): EvaluatedAccount {
  return anEvaluatedAccount(name, {
    blockedReasons: [reason],
    routable: false,
    score: 0,
    scoreComponents: NO_SCORE,
    ...changes,
  })
}

/** An action that has been open for a minute. */
export function anOpenAction({ tone, action }: ToneAction): OpenAction {
  return { id: action.code, tone, action, since: fromNow(-60) }
}

/** A trouble-free live snapshot of these accounts at NOW. */
export function aSnapshot(
  accounts: readonly EvaluatedAccount[],
  changes: Partial<Snapshot> = {},
): Snapshot {
  const routableCount = accounts.filter((account) => account.routable).length
  const home = {
    provider: accounts[0]?.account.provider ?? 'codex',
    unit: 'plus' as const,
    accounts: changes.accounts ?? accounts,
    furtherCapacity: [],
    routableCount,
    blockedCount: accounts.length - routableCount,
    untrackedCount: 0,
    topScore: accounts[0]?.score ?? 0,
    nextRoutableAt: null,
    capacity: changes.capacity ?? aPoolCapacity(),
  }
  return {
    evaluatedAt: NOW,
    source: 'live',
    available: true,
    sampledAt: fromNow(-4),
    gatewayUp: true,
    ...home,
    pools:
      home.accounts.length === 0
        ? []
        : [{ ...home, resetColumns: [], firstRound: changes.firstRound ?? null }],
    skipped: [],
    requestCounters: null,
    benchmark: null,
    resetColumns: mainWindows.map(({ id: windowId }) => ({
      windowId,
      rows: accounts.map((account) => {
        const window = windowOf(account.windows, windowId)
        const resetAt = resetAtOf(window)
        const resetSource = resetAt === null ? null : windowId
        return {
          account,
          window,
          resetSource,
          resetAt,
          resetsInSeconds: secondsUntil(resetAt, NOW),
        }
      }),
    })),
    health: {
      state: 'good',
      actions: [],
      causes: [],
      left: [],
      sources: (['gateway', 'accounts', 'direct_quota', 'usage_statistics'] as const).map((id) => ({
        id,
        tone: 'good',
        outcome: { kind: 'ok', at: fromNow(-4) },
        failuresInARow: 0,
        lastGoodAt: fromNow(-4),
        since: fromNow(-600),
      })),
    },
    recentChanges: [],
    vendorWatch: nothingSighted,
    bankedWatch: nothingBanked,
    accountRefreshSeconds: 15,
    upstreamVersion: 'v7.2.140',
    clockSkewSeconds: 0,
    clockDoubt: null,
    standing: { source: 'live', gatewayUp: true },
    firstRound: null,
    sampleEverySeconds: 300,
    multiplier: 6,
    ...changes,
  }
}

/** Quota left in each main window, with `changes` to the defaults. */
export function aPoolCapacity(
  changes: Partial<PerWindow<Partial<WindowCapacity>>> = {},
): Snapshot['capacity'] {
  return perWindow(({ id }) => aCapacity(id, changes[id]))
}

function aCapacity(windowId: MainWindowId, changes: Partial<WindowCapacity> = {}): WindowCapacity {
  return {
    windowId,
    trackedUnits: 41,
    knownUnits: 16.1,
    usableUnits: changes.knownUnits ?? 16.1,
    heldUnits: 0,
    unknownUnits: 0,
    staleUnits: 0,
    usableStaleUnits: changes.staleUnits ?? 0,
    exhaustedCount: 2,
    returns: [],
    gains: [],
    ...changes,
  }
}

/** A realistic pool: of every twenty accounts four are used up, and one each is disabled, signed out and never read. */
export function aMixedPool(count: number): readonly EvaluatedAccount[] {
  return Array.from({ length: count }, (_, index) => mixedAccount(index))
}

function mixedAccount(index: number): EvaluatedAccount {
  const name = `firstname.lastname${String(index).padStart(4, '0')}`
  const weekResetsIn = 3600 + ((index * 7919) % 590_000)
  const fiveHourResetsIn = 60 + ((index * 4211) % 17_900)
  const week = knownWindow('week', 3 + ((index * 37) % 960) / 10, weekResetsIn)
  switch (index % 20) {
    case 0:
      return aBlockedAccount(name, 'operator_disabled', {
        status: { kind: 'disabled', tone: 'unknown', until: null },
        capacityWeight: 0,
        quotaClass: 'none',
        sampleEverySeconds: null,
      })
    case 1:
      return aBlockedAccount(name, 'auth_invalid', {
        status: { kind: 'auth_invalid', tone: 'bad', until: null },
        windows: [unknownWindow('5h'), unknownWindow('week')],
        lastSample: null,
        quotaClass: 'recovery',
      })
    case 2:
      return anEvaluatedAccount(name, {
        windows: [unknownWindow('5h'), unknownWindow('week')],
        lastSample: null,
        status: { kind: 'pending', tone: 'warn', until: null },
      })
    case 3:
    case 4:
    case 5:
    case 6:
      return aBlockedAccount(name, 'quota_exhausted_5h', {
        status: { kind: 'reset_scheduled', tone: 'warn', until: fromNow(fiveHourResetsIn) },
        windows: [exhaustedWindow('5h', fiveHourResetsIn), week],
      })
    case 7:
      return anEvaluatedAccount(name, {
        windows: [knownWindow('5h', 92.3, 1800), week],
        scoreComponents: { ...NO_SCORE, capacity: 31, health: 20, plan: 1, load: 0, reclaim: 7 },
        score: 59,
        reclaim: { id: '5h', percent: 92.3, resetsInSeconds: 1800 },
      })
    case 8:
      return anEvaluatedAccount(name, {
        windows: [knownWindow('5h', 100, null), week],
        scoreComponents: { ...NO_SCORE, capacity: 31, health: 20, plan: 1, load: 25, reclaim: 0 },
        score: 77,
      })
    default:
      return anEvaluatedAccount(name, {
        windows: [knownWindow('5h', 1 + ((index * 53) % 980) / 10, fiveHourResetsIn), week],
        failureRatio: index % 2 === 0 ? 0.1 : null,
        scoreComponents: { ...NO_SCORE, capacity: 31, health: 20, plan: 1, load: 0, reclaim: 0 },
        score: 52,
      })
  }
}

function usedBy(name: string): UsageRow {
  return { ...emptyRow({ id: name, label: name }), requests: 15, tokens: 22_500, failed: 1 }
}

/** An ongoing history of three days. */
export function aUsageSummary(changes: Partial<UsageSummary> = {}): UsageSummary {
  return {
    live: {
      requests: 30,
      tokens: 45_000,
      failed: 3,
      lastEventAt: plusMs(NOW, -20_000),
      accounts: [usedBy('a'), usedBy('b')],
      activeClients: 1,
    },
    lastDay: { requests: 1_204, tokens: 12_450_000, failed: 12, accounts: [], models: [] },
    history: {
      totals: { requests: 9_000, tokens: 81_000_000, failed: 90 },
      earliest: plusMs(NOW, -3 * 86_400_000),
      latest: plusMs(NOW, -20_000),
      databaseBytes: 4096,
      retentionDays: 90,
      lastWriteAt: plusMs(NOW, -15_000),
      duplicates: 4,
      missing: 3,
      observedSeconds: 200_000,
      gapSeconds: 100,
    },
    ...changes,
  }
}

/** Context of a status without usage, trends or a refresh. */
export const statusContext = {
  text: createWording('Asia/Shanghai'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const
