import { sampleOfMessage } from '../account/merge-evidence.ts'
import type { Account } from '../facts/account.ts'
import { type AccountEvidence, evidenceFrom } from '../facts/account-evidence.ts'
import { groupedBy } from '../facts/grouping.ts'
import type { QuotaSample, ReadingOrigin } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import { fileKeyOf, type UpstreamName } from '../facts/upstream.ts'

/** A file of an account that several proxies list, with the evidence from its own proxy. */
interface FileEvidence {
  readonly account: Account
  readonly evidence: AccountEvidence | null
}

/** The evidence of every file, by `fileKeyOf`, combined with evidence of the same account from other proxies. */
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
    const newest = newestOf(known)
    for (const { account, evidence } of known) {
      const whole = withElsewhere(evidence, newest, account.upstream)
      if (whole !== null) merged.set(fileKeyOf(account), whole)
    }
  }
  return merged
}

/** The files of each account that several proxies list, sorted by name. */
function filesOfSharedAccounts(accounts: readonly Account[]): readonly (readonly Account[])[] {
  return [...groupedBy(accounts, ({ selector }) => selector.accountKey).values()]
    .filter((files) => new Set(files.map(({ upstream }) => upstream)).size > 1)
    .map((files) => files.sort(byFile))
}

function byFile(a: Account, b: Account): number {
  const [one, other] = [fileKeyOf(a), fileKeyOf(b)]
  return one === other ? 0 : one < other ? -1 : 1
}

interface NewestEvidence {
  readonly byOrigin: ReadonlyMap<ReadingOrigin, NewestByUpstream<QuotaSample>>
  readonly success: NewestByUpstream<EpochMs>
  /** Evidence that contains the newest sample. Its query interval decides when this sample is stale. */
  readonly sampled: NewestByUpstream<AccountEvidence>
}

/**
 * The newest sample of each origin, including samples made from usage-limit messages. All samples together decide to which window a message refers.
 */
function newestOf(files: readonly FileEvidence[]): NewestEvidence {
  const byOrigin = new Map<ReadingOrigin, NewestByUpstream<QuotaSample>>()
  const success = createNewest<EpochMs>()
  const sampled = createNewest<AccountEvidence>()
  const take = (sample: QuotaSample, upstream: UpstreamName) => {
    const newest = byOrigin.get(sample.origin) ?? createNewest()
    byOrigin.set(sample.origin, newest)
    newest.take(sample, sample.sampledAt, upstream)
  }
  for (const { account, evidence } of files) {
    for (const sample of evidence?.samples ?? []) {
      take(sample, account.upstream)
      if (evidence !== null) sampled.take(evidence, sample.sampledAt, account.upstream)
    }
  }
  const known = files.flatMap(({ evidence }) => evidence?.samples ?? [])
  for (const { account } of files) {
    const { upstream, lastSuccessAt, verdict } = account
    const message = account.message.kind === 'usage_limit' ? account.message : verdict?.message
    if (lastSuccessAt !== null) success.take(lastSuccessAt, lastSuccessAt, upstream)
    const said = message?.kind === 'usage_limit' ? sampleOfMessage(message, known) : null
    if (said !== null) take(said, upstream)
  }
  return { byOrigin, success, sampled }
}

/** Evidence of one file with samples from other proxies added; null if the account was never read. */
function withElsewhere(
  own: AccountEvidence | null,
  { byOrigin, success, sampled }: NewestEvidence,
  upstream: UpstreamName,
): AccountEvidence | null {
  const samples = [...byOrigin.values()].flatMap((newest) => newest.elsewhere(upstream) ?? [])
  if (own === null && samples.length === 0) return null
  const evidence = own ?? evidenceFrom([])
  const newest = newerThan(own, sampled.newestElsewhere(upstream)) ?? own
  return {
    ...evidence,
    plannedIntervalSeconds: newest?.plannedIntervalSeconds ?? evidence.plannedIntervalSeconds,
    elsewhere: { samples, lastSuccessAt: success.elsewhere(upstream) },
  }
}

/** Evidence from another proxy if it is newer than all own samples; else null. */
function newerThan(
  own: AccountEvidence | null,
  other: Newest<AccountEvidence> | null,
): AccountEvidence | null {
  if (other === null) return null
  const isOlder = (own?.samples ?? []).every(({ sampledAt }) => sampledAt < other.at)
  return isOlder ? other.value : null
}

interface Newest<Value> {
  readonly value: Value
  readonly at: EpochMs
  readonly upstream: UpstreamName
}

/** The newest value of all proxies, and the newest one from any other proxy. */
interface NewestByUpstream<Value> {
  /** Considers a value. Of equally new values, the first one is kept. */
  take(value: Value, at: EpochMs, upstream: UpstreamName): void
  newestElsewhere(upstream: UpstreamName): Newest<Value> | null
  elsewhere(upstream: UpstreamName): Value | null
}

function createNewest<Value>(): NewestByUpstream<Value> {
  let first: Newest<Value> | null = null
  /** The newest value from any proxy other than the one that supplied `first`. */
  let second: Newest<Value> | null = null
  const newestElsewhere = (upstream: UpstreamName) =>
    first?.upstream === upstream ? second : first
  return {
    take(value, at, upstream) {
      if (first === null || at > first.at) {
        if (first !== null && first.upstream !== upstream) second = first
        first = { value, at, upstream }
      } else if (upstream !== first.upstream && (second === null || at > second.at)) {
        second = { value, at, upstream }
      }
    },
    newestElsewhere,
    elsewhere: (upstream) => newestElsewhere(upstream)?.value ?? null,
  }
}
