/** Names of the members and codes of our own interface that are long enough to be taken for a secret. */
const INTERFACE = new Set(
  (
    'absent account accountCount accountKey accountKeys accounts accountsRead accountsToRead actionCount actions actionsTitle activeAccounts activeClients ' +
    'activityLine afterGap ageSeconds asked_elsewhere asked_lately atLeast auth_invalid authIndex authName available backup before-history benchmark blocked blockedCount ' +
    'blockedReasons blockedUntil breakdown bucket bucketSeconds burnPerHour byAccount byModel cancel cancelled capacity capacityWeight capacityWeightUnit ' +
    'change changePercent changes client columns compare completed completedAt confidence config contractVersion counted countText coverage ' +
    'coveragePercent csvPath cumulative databaseBytes deadline default defaults detail direct disabled-diagnostics disabledProbe discovery displayLanguage ' +
    'displayResetSource displayTimezone displayTimezoneLabel doneAt duplicates earliest enabled ends_soon error-body exhausted exhaustedCount expected expectedEndAt ' +
    'export exportCommand failed failing failureRateText firstRound fiveHour footnote format formatVersion gateway gatewayOk hardBlocks headers health heldUnits holder ' +
    'healthActionCount healthState history httpStatus importCommand jsonPath knownUnits lastEventAt lastSample lastWriteAt laterSeconds last_day latest ' +
    'lapsingAccounts manualRefresh metric missed missedSeconds missing nextRecovery nextRoutableAt nextRoutableInSeconds no_direct_quota no_key no_store not_configured notStarted options ' +
    'origin otherCount paidUntil partial percent percentAfter percentBefore percentText planKind points previous primary probedAt queued quota_off quotaClass ' +
    'quotaWindows readingCount reason reasons recentChanges recentChangesTitle reclaim reclaimEligible reclaimWindow recommendations recovery refresh ' +
    'remainingText renewed requests requestsPerMinute requestText resetAt resets resetsInSeconds retentionDays rolledOver routableCount routingBlockedReasons ' +
    'routingEligible routingPolicy routingScore running runs-dry runsDryAt runway sampleAgeSeconds sampledAt sampleEverySeconds scopedWindows ' +
    'scoreComponents scoreMax scoreParts scoreReasons seconds secondsWithoutReturns seenAt selector sensitive series smooth smoothFailed smoothRequests ' +
    'smoothTokens source sourceCounts sources sourcesTitle sourceText staleUnits standby startedAt status status-message store_unavailable subscription success successRateText ' +
    'summary switched_off threshold timeText timezoneLabel tokens tokensPerMinute tokenText topScore totals tracked trackedUnits trends unavailable ' +
    'unknown unknownUnits upstream upstreams usablePercent usableStaleUnits usableUnits usedPercent vendor_asks_to_wait verdict warnings weekly weeklyToFiveHour windows windowSeconds'
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
