import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { ProviderId } from '../facts/provider.ts'
import type { Verdict } from '../facts/status-message.ts'
import type { EpochMs } from '../facts/time.ts'
import { DEFAULT_UPSTREAM, type UpstreamName } from '../facts/upstream.ts'
import { rememberedResets } from './lapses.ts'

/** Last query of an account and its refusals. Stored before a query is sent, so that a restart or crash does not lose them. */
export interface AskedAccount {
  readonly upstream: UpstreamName
  readonly authName: string
  readonly accountKey: string
  readonly provider: ProviderId
  /** Last refusal reported by the account list or a usage record; null without one. */
  readonly verdict: Verdict | null
  /** End of a wait that the vendor requested for this account; null without one. */
  readonly waitUntil: EpochMs | null
  readonly evidence: AskedEvidence
}

/** The part of the evidence that decides when the vendor may be asked again. */
export type AskedEvidence = Pick<
  AccountEvidence,
  'probeFailure' | 'refusedLogin' | 'askedAt' | 'vendorPlan' | 'vendorPause'
>

/** The facts about an account to store. */
export function askedAccountOf(
  { selector, provider, upstream = DEFAULT_UPSTREAM, verdict = null }: Account,
  evidence: AccountEvidence,
  waitUntil: EpochMs | null,
): AskedAccount {
  const { probeFailure, refusedLogin, askedAt, vendorPlan, vendorPause } = evidence
  const { authName, accountKey } = selector
  return {
    ...{ upstream, authName, accountKey, provider, verdict, waitUntil },
    evidence: {
      ...{ probeFailure, refusedLogin },
      ...(askedAt === undefined ? {} : { askedAt }),
      ...(vendorPlan === undefined ? {} : { vendorPlan }),
      ...(vendorPause === undefined ? {} : { vendorPause }),
    },
  }
}

/** The evidence with the stored last query of the account, unless the evidence contains a later query. */
export function evidenceWithAsked(current: AccountEvidence, asked: AskedEvidence): AccountEvidence {
  if (lastKnownAt(asked) < lastKnownAt(current)) return current
  const { vendorPause: _earlier, ...kept } = current
  return { ...kept, ...asked }
}

function lastKnownAt({ askedAt, probeFailure }: AskedEvidence): number {
  return Math.max(askedAt ?? 0, probeFailure?.at ?? 0)
}

/** Adds the evidence of an earlier process: the newer sample of each origin, and refusals that no direct answer has followed. */
export function mergedEvidence(
  current: AccountEvidence,
  earlier: AccountEvidence,
): AccountEvidence {
  const samples = [...current.samples]
  for (const sample of earlier.samples)
    if (!current.samples.some(({ origin }) => origin === sample.origin)) samples.push(sample)
  const { askedAt, vendorPlan, vendorPause } = earlier
  const answered = current.samples.some(({ origin }) => origin === 'direct')
  const refusedLogin = answered ? null : earlier.refusedLogin
  return {
    ...(askedAt === undefined ? {} : { askedAt }),
    ...(vendorPlan === undefined ? {} : { vendorPlan }),
    ...(vendorPause === undefined || answered ? {} : { vendorPause }),
    ...rememberedResets(earlier),
    ...current,
    samples,
    probeFailure: current.probeFailure ?? (answered ? null : earlier.probeFailure),
    refusedLogin:
      current.refusedLogin === null || refusedLogin === null
        ? (current.refusedLogin ?? refusedLogin)
        : {
            ...current.refusedLogin,
            inARow: Math.max(current.refusedLogin.inARow, refusedLogin.inARow),
            firstAt: refusedLogin.firstAt ?? refusedLogin.lastAt,
            ...(refusedLogin.revoked === true ? { revoked: true } : {}),
            ...(refusedLogin.deactivated === true ? { deactivated: true } : {}),
          },
    plannedIntervalSeconds:
      current.samples.length === 0
        ? earlier.plannedIntervalSeconds
        : current.plannedIntervalSeconds,
  }
}

/** Evidence of an account that another process queries: the newer sample of each origin, and that process's last failures. */
export function evidenceAskedElsewhere(
  current: AccountEvidence,
  theirs: AccountEvidence,
): AccountEvidence {
  const { probeFailure, refusedLogin, plannedIntervalSeconds, askedAt, vendorPlan } = theirs
  const { vendorPause: _pause, ...kept } = current
  const newerHere = current.samples.filter(
    (sample) =>
      !theirs.samples.some(
        ({ origin, sampledAt }) => origin === sample.origin && sampledAt >= sample.sampledAt,
      ),
  )
  const others = theirs.samples.filter(
    ({ origin }) => !newerHere.some((sample) => sample.origin === origin),
  )
  return {
    ...kept,
    ...(askedAt === undefined ? {} : { askedAt }),
    ...(vendorPlan === undefined ? {} : { vendorPlan }),
    ...(theirs.vendorPause === undefined ? {} : { vendorPause: theirs.vendorPause }),
    ...(theirs.bankedResets === undefined ? {} : { bankedResets: theirs.bankedResets }),
    samples: [...newerHere, ...others],
    probeFailure,
    refusedLogin,
    plannedIntervalSeconds,
  }
}
