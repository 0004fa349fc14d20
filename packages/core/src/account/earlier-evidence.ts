import type { AccountEvidence } from '../facts/account-evidence.ts'

/** Adds an earlier process's evidence to this one's: the newer sample of each origin, and refusals that no direct answer has followed. */
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

/** Evidence of an account that another process queries: the newer sample of each origin, and the other process's last failures. */
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
    samples: [...newerHere, ...others],
    probeFailure,
    refusedLogin,
    plannedIntervalSeconds,
  }
}
