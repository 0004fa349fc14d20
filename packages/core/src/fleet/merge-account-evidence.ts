import { sampleOfMessage } from '../account/merge-evidence.ts'
import type { Account } from '../facts/account.ts'
import {
  type AccountEvidence,
  type EvidenceElsewhere,
  evidenceFrom,
} from '../facts/account-evidence.ts'
import type { QuotaSample } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import { fileKeyOf } from '../facts/upstream.ts'

/** A file of an account that several proxies list, with what was read through its own proxy. */
interface FileEvidence {
  readonly account: Account
  readonly evidence: AccountEvidence | null
}

/** The evidence of every file, by `fileKeyOf`, with what other proxies know of the same account. */
export function mergeAccountEvidence(
  accounts: readonly Account[],
  ownByFile: ReadonlyMap<string, AccountEvidence>,
): ReadonlyMap<string, AccountEvidence> {
  const merged = new Map(ownByFile)
  for (const files of filesOfSharedAccounts(accounts)) {
    const known = files.map((account) => ({
      account,
      evidence: ownByFile.get(fileKeyOf(account)) ?? null,
    }))
    const samples = known.flatMap(({ evidence }) => evidence?.samples ?? [])
    for (const { account, evidence } of known) {
      const others = known.filter((other) => other.account.upstream !== account.upstream)
      const whole = withElsewhere(evidence, others, samples)
      if (whole !== null) merged.set(fileKeyOf(account), whole)
    }
  }
  return merged
}

/** The files of each account that more than one proxy lists, in the order of their names. */
function filesOfSharedAccounts(accounts: readonly Account[]): readonly (readonly Account[])[] {
  const filesByKey = new Map<string, Account[]>()
  for (const account of accounts) {
    const files = filesByKey.get(account.selector.accountKey)
    if (files === undefined) filesByKey.set(account.selector.accountKey, [account])
    else files.push(account)
  }
  return [...filesByKey.values()]
    .filter((files) => new Set(files.map(({ upstream }) => upstream)).size > 1)
    .map((files) => files.sort(byFile))
}

function byFile(a: Account, b: Account): number {
  const [one, other] = [fileKeyOf(a), fileKeyOf(b)]
  return one === other ? 0 : one < other ? -1 : 1
}

/** Null where nothing was read of the account. `samples` are those of all its files. */
function withElsewhere(
  own: AccountEvidence | null,
  others: readonly FileEvidence[],
  samples: readonly QuotaSample[],
): AccountEvidence | null {
  const elsewhere = elsewhereOf(others, samples)
  if (own === null && elsewhere.samples.length === 0) return null
  const newest = newestSampled([{ evidence: own }, ...others])
  const planned = newest?.plannedIntervalSeconds ?? own?.plannedIntervalSeconds
  const evidence = own ?? evidenceFrom([])
  return {
    ...evidence,
    plannedIntervalSeconds: planned ?? evidence.plannedIntervalSeconds,
    elsewhere,
  }
}

/** What these files say of their account: the newest sample of each origin. `known` are the samples of all files, which say what window a message means. */
function elsewhereOf(
  files: readonly FileEvidence[],
  known: readonly QuotaSample[],
): EvidenceElsewhere {
  const newestByOrigin = new Map<QuotaSample['origin'], QuotaSample>()
  const take = (sample: QuotaSample) => {
    const found = newestByOrigin.get(sample.origin)
    if (found === undefined || sample.sampledAt > found.sampledAt)
      newestByOrigin.set(sample.origin, sample)
  }
  for (const { evidence } of files) for (const sample of evidence?.samples ?? []) take(sample)
  let lastSuccessAt: EpochMs | null = null
  for (const { account } of files) {
    const at = account.lastSuccessAt
    if (at !== null && (lastSuccessAt === null || at > lastSuccessAt)) lastSuccessAt = at
    const said = sampleOfMessage(account.message, known)
    if (said !== null) take(said)
  }
  return { samples: [...newestByOrigin.values()], lastSuccessAt }
}

/** The evidence that holds the newest sample: how often that is taken decides when it is stale. */
function newestSampled(files: readonly Pick<FileEvidence, 'evidence'>[]): AccountEvidence | null {
  let newest: AccountEvidence | null = null
  let newestAt: EpochMs | null = null
  for (const { evidence } of files) {
    for (const { sampledAt } of evidence?.samples ?? []) {
      if (newestAt !== null && sampledAt <= newestAt) continue
      newestAt = sampledAt
      newest = evidence
    }
  }
  return newest
}
