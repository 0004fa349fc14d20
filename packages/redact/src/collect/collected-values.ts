import { ownCopy } from '../byte-text.ts'
import type { KnownValue } from '../known/known-values.ts'
import { isHarmless } from '../names/harmless.ts'
import { isReplaced, PSEUDONYM_WORDS } from '../pseudonyms.ts'
import type { SecretKind, Span } from '../span.ts'
import { textOfReading } from '../spellings/reading.ts'
import { unescaped } from '../spellings/unescape.ts'

export interface LeftOut {
  readonly named: number
  readonly byShape: number
}

/** Collects the values of this run that are secret or personal. */
export interface CollectedValues {
  /** Adds a value that the configuration leads to. Byte text. */
  addConfigured(value: string, kind: SecretKind): void
  /** Adds a value found in a file of the run. */
  addFound(span: Span): void
  values(): readonly KnownValue[]
  /** Number of values dropped because there were too many. They are replaced only if their name or shape gives them away. */
  readonly leftOut: LeftOut
}

/** Rounds of undoing the escapes of a value. */
const ROUNDS_MAX = 3
/** Shorter texts would match inside ordinary words. */
const LENGTH_MIN = 6
const CONFIGURED_LENGTH_MIN = 4
const SHAPE_LENGTH_MIN = 16
const LENGTH_MAX = 64 * 1024
/** Bounds the bytes of remembered values, so that memory stays bounded whatever the files hold. */
const BYTES_MAX = { named: 640 * 1024, shape: 128 * 1024 } as const

/** An empty collection of known values. */
export function createCollectedValues(): CollectedValues {
  const byValue = new Map<string, KnownValue>()
  const bytes = { named: 0, shape: 0 }
  const leftOut = { named: 0, shape: 0 }

  const add = (value: string, kind: SecretKind, budget: 'named' | 'shape' | null): void => {
    const key = ownCopy(value.toLowerCase())
    const before = byValue.get(key)
    const asWord = isCommon(value)
    if (before !== undefined) {
      if (before.asWord && !asWord) byValue.set(key, { ...before, asWord })
      return
    }
    if (budget !== null) {
      if (bytes[budget] + value.length > BYTES_MAX[budget]) {
        leftOut[budget] += 1
        return
      }
      bytes[budget] += value.length
    }
    byValue.set(key, { value: key === value ? key : ownCopy(value), kind, asWord })
  }

  return {
    get leftOut() {
      return { named: leftOut.named, byShape: leftOut.shape }
    },
    addConfigured(value, kind) {
      const plain = trim(value)
      if (plain.length >= CONFIGURED_LENGTH_MIN && !PSEUDONYM_WORDS.has(plain.toLowerCase()))
        add(plain.slice(0, LENGTH_MAX), kind, null)
    },
    addFound({ certainty, kind, value, parts }) {
      if (
        certainty === 'here' ||
        kind === 'ip' ||
        kind === 'agent' ||
        kind === 'path' ||
        kind === 'mac' ||
        kind === 'uuid'
      )
        return
      for (const plain of readingsOf(value))
        if (isWorthKnowing(plain, kind, certainty)) add(plain, kind, certainty)
      for (const part of parts ?? []) {
        for (const plain of readingsOf(part))
          if (isWorthKnowing(plain, 'secret', 'named')) add(plain, 'secret', 'named')
      }
    },
    values: () => [...byValue.values()],
  }
}

/** Unlike `trim`, leaves the byte A0 alone, which is part of letters. */
function trim(value: string): string {
  return value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
}

/** The value as written, and without its escapes. */
function readingsOf(found: string): readonly string[] {
  const value = trim(found)
  if (value.length > LENGTH_MAX) return [value.slice(0, LENGTH_MAX)]
  const readings = new Set([value])
  for (const kind of ['all', 'backslash', 'percent', 'entity'] as const) {
    let now = value
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const reading = unescaped(now, kind)
      if (reading === null) break
      now = trim(textOfReading(reading))
      readings.add(now)
    }
  }
  // YAML, SQL and CSV double a quote; a shell closes and reopens it.
  for (const reading of [...readings])
    readings.add(reading.replace(/'\\''|'"'"'|''/g, "'").replaceAll('""', '"'))
  // Forms encode a blank as a plus.
  return /^[^\s+]+(?:\+[^\s+]+)+$/.test(value)
    ? [...readings, ...[...readings].map((reading) => reading.replaceAll('+', ' '))]
    : [...readings]
}

function isWorthKnowing(value: string, kind: SecretKind, certainty: 'named' | 'shape'): boolean {
  if (value.length < LENGTH_MIN || isHarmless(value) || PSEUDONYM_WORDS.has(value.toLowerCase()))
    return false
  if (isReplaced(value) || isEverydayWord(value)) return false
  if (kind !== 'email' && certainty === 'shape') return value.length >= SHAPE_LENGTH_MIN
  // Instants and sizes look like secret numbers.
  return (
    !/^\d{4}-\d\d-\d\d[T ]/.test(value) &&
    !/^(?:0+|\d{1,5})(?:\.\d+)?$/.test(value) &&
    !/^[\s.,:;_/\\|+=*-]+$/.test(value)
  )
}

/** True for a value that only counts as a whole word: a short one, a number or a word itself. */
function isCommon(value: string): boolean {
  return (
    value.length < 8 ||
    /^\d{1,15}$/.test(value) ||
    (value.length < 12 && /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/.test(value))
  )
}

/** Names of the members and codes of our own interface that are long enough to be taken for a secret. */
const INTERFACE = new Set(
  (
    'absent account accountCount accountKey accountKeys accounts accountsRead accountsToRead actionCount actions actionsTitle activeAccounts activeClients ' +
    'activityLine afterGap ageSeconds asked_elsewhere asked_lately atLeast auth_invalid authIndex authName available away awaySince backup before-history benchmark blocked blockedCount ' +
    'blockedReasons blockedUntil breakdown bucket bucketSeconds burnPerHour byAccount byModel cancel cancelled capacity capacityWeight capacityWeightUnit ' +
    'change changePercent changes client columns compare completed completedAt confidence config contractVersion counted countText coverage ' +
    'coveragePercent csvPath cumulative databaseBytes deadline default defaults detail direct disabled-diagnostics disabledProbe discovery displayLanguage ' +
    'displayResetSource displayTimezone displayTimezoneLabel doneAt duplicates earliest enabled ends_soon error-body exhausted exhaustedCount expected expectedEndAt ' +
    'export exportCommand failed failing failureRateText firstRound fiveHour footnote forecast format formatVersion gateway gatewayOk go_short hardBlocks headers health heldUnits holder ' +
    'healthActionCount healthState history httpStatus importCommand jsonPath knownUnits lastEventAt lastSample lastWriteAt laterSeconds last_day lastDay lastWeek latest ' +
    'lapsingAccounts manualRefresh metric missed missedSeconds missing monitor_silent nextRecovery nextReturn nextRoutableAt nextRoutableInSeconds no_direct_quota no_key no_store not_configured not_ready notStarted options ' +
    'origin otherCount pageUrl paidUntil partial percent percentAfter percentBefore percentText planKind points previous primary priority probedAt proxy_down queued quota_off quotaClass ' +
    'quotaWindows readingCount reason reasons recentChanges recentChangesTitle reclaim reclaimEligible reclaimWindow recommendations recovery refresh ' +
    'accountTitle allowed failed_other firstTokenMs latencyMs parameter tokensCached tokensIn tokensOut tokensUnclassified tokensWritten watchedPercent ' +
    'cache_share failed_auth failed_limit failed_vendor first_token_p50 first_token_p95 latency_p50 latency_p95 ' +
    'all_avoided all_blocked allowed nextAt nextInSeconds none_listed none_matching spread ' +
    'blockedModels derived models nextAskAt reported routable skipped sources_disagree untracked ' +
    'cycles dryCount dryPercent endedCount expiredPercent expiredUnits knownCount notBegunUnits notOffered refilled rows_deleted smoothValue too_many_requests value valueUnit ' +
    'remainingText renewed requests requestsPerMinute requestText resetAt resets resetsInSeconds retentionDays rolledOver routableCount routingBlockedReasons ' +
    'routingEligible routingPolicy routingScore running runs-dry runsDryAt runway sampleAgeSeconds sampledAt sampleEverySeconds scopedWindows ' +
    'scoreComponents scoreMax scoreParts scoreReasons seconds secondsWithoutReturns seenAt selector sensitive series smooth smoothFailed smoothRequests ' +
    'smoothTokens source sourceCounts sources sourcesTitle sourceText staleUnits standby startedAt status status-message stepSeconds store_unavailable stretches subscription success successRateText ' +
    'summary switched_off threshold timeText timezoneLabel tokens tokensPerMinute tokenText topScore totals tracked trackedUnits trends unavailable ' +
    'action askedAt opened readers resolved scheduler snapshot too_many_followers transition ' +
    'address_unreadable bad_address discord failureSince feishu lastSentAt lostCount redirected refused sentCount telegram throttled unreachable waitingCount webhook ' +
    'unknown unknownUnits upstream upstreams usablePercent usableStaleUnits usableUnits usedPercent vendor_asks_to_wait verdict warnings watchedSeconds weekly weeklyToFiveHour windows windowSeconds'
  )
    .toLowerCase()
    .split(' '),
)
/** Words that are common anywhere, and also stand behind names of secrets in documents and settings. */
const COMMON = new Set(
  (
    'access account accounts active address administrator algorithm always amount another answer anything application ' +
    'argument arguments assets attribute author automatic backend backup balance before binary boolean browser bucket button ' +
    'cached called changed channel charset client clients cluster column command comment common complete config configuration ' +
    'connect connection console constant container content context control cookie cookies create created credential ' +
    'credentials current custom database default deleted device digest directory disabled display docker document domain ' +
    'download dynamic either element enabled encoding engine english entries environment everything example examples exists ' +
    'expired expires export extern external failed failure feature fields filename filter folder follow format forward ' +
    'gateway generic global groups handler header headers health healthy hidden history hostname however identity import ' +
    'include inline inside install instance integer internal invalid issuer kernel language latest layout length library ' +
    'license limited linear linked listen loading localhost locked logging machine manager manual master member memory ' +
    'message messages metadata method middle minimum missing mobile modified module monitor mounted multiple native network ' +
    'nothing notice number object offline online openid operator option optional options oracle orange origin output overview ' +
    'package parameter parent partial passed passive pattern payload pending people period permission placeholder please ' +
    'plugin policy postgres prefix present primary private process production profile program project properties property ' +
    'protected protocol provider proxied public python queued quotas random reader reason record records redirect refresh ' +
    'region relative release remote removed render replace report request requests required reserved resource response ' +
    'restart result results return revoked runtime sample schema scheme scopes script search second secondary seconds secret ' +
    'secure security select sender server servers service services session settings shared signed signin silent simple single ' +
    'source sqlite standard started startup static status storage stored stream strict string strings subject success suffix ' +
    'support symbol system target template temporary testing thread timeout timestamp toggle tokens traffic transport trusted ' +
    'unknown unlimited updated upload upstream username utility validate values variable vendor verified version viewer ' +
    'visible volume waiting warning website window windows workspace writer'
  ).split(' '),
)
/** The program, its files and units. */
const PROGRAM =
  /^(?:(?:\/[a-z]{2,8}){1,3}\/)?svc[-_]quota[-_]monitor(?:-backup)?(?:\/[a-z][a-z-]{1,24})?(?:\.(?:service|timer|db|json|toml|env|ya?ml|conf|sh))?$/i

/** True for a word that would be found in any file. It is hidden under the name of a secret, and not looked for anywhere else. */
export function isEverydayWord(value: string): boolean {
  const word = value.toLowerCase()
  return INTERFACE.has(word) || COMMON.has(word) || PROGRAM.test(value)
}
