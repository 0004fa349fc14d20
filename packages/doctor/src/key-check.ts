import { keyFromText, knownProviders, queriedProviders, readKeyFile } from '@svc/collector'
import { type Config, MANAGEMENT_KEY_ENV } from '@svc/config'
import type { ProviderId } from '@svc/core'
import { providerIds, providerLabel, type Redacted } from '@svc/core/service'
import { capitalised } from '@svc/views/format'
import { actionConditions, clauseOf, keyFileConditions } from '@svc/views/messages'
import { type CheckVerdict, type FindingCode, fail, ok, skip, warn } from './finding.ts'

/** Maximum of named providers; their names come from the proxy. */
const NAMED_MAX = 12

/**
 * Verdict on the vendors whose quota is queried, with the reasons why others are not. `providers`: the provider of each account in the list. Only the
 * running service knows whether it pauses after a refusal.
 */
export function providersVerdict(config: Config, providers: readonly ProviderId[]): CheckVerdict {
  if (providers.length === 0) return skip('the list has no account')
  const groups = providerGroupsOf(providers)
  const named = groups.slice(0, NAMED_MAX).map(({ label, id, count }) => {
    const reason = whyNotAsked(config, id)
    return `${count} ${label}: ${reason === null ? 'asked for quota' : `not asked, ${reason}`}`
  })
  const restCount = groups.slice(NAMED_MAX).reduce((sum, { count }) => sum + count, 0)
  return ok([...named, ...(restCount > 0 ? [`${restCount} of more providers`] : [])].join('; '))
}

/** Reason that the quota of a provider is not queried; null if it is. */
export function whyNotAsked({ quota }: Config, provider: ProviderId): string | null {
  if (!knownProviders.some(({ id }) => id === provider))
    return 'no query of the vendor is known, but a plugin of the proxy may report quota'
  if (quota.quotaTransport === 'off') return 'quota_transport is off'
  if (queriedProviders(quota.quotaProbeProviders).some(({ id }) => id === provider)) return null
  return provider === 'antigravity'
    ? 'Google has closed accounts for such queries: quota_probe_providers must name it'
    : 'not in quota_probe_providers'
}

interface ProviderGroup {
  readonly label: string
  readonly id: ProviderId
  readonly count: number
}

/** Number of accounts per provider label, in display order. */
export function providerGroupsOf(providers: readonly ProviderId[]): readonly ProviderGroup[] {
  const groups = new Map<string, ProviderGroup>()
  for (const id of providers) {
    const own = providerLabel(id)
    const label = own === id ? capitalised(id) : own
    groups.set(label, { label, id, count: (groups.get(label)?.count ?? 0) + 1 })
  }
  const placeOf = ({ id }: ProviderGroup) =>
    providerIds.includes(id) ? providerIds.indexOf(id) : providerIds.length
  return [...groups.values()].sort((one, other) => placeOf(one) - placeOf(other))
}

/** The key that doctor may send, or null, with the findings about it. A key that cannot be right is not sent. */
export async function managementKeyOf(
  config: Config,
): Promise<{ readonly key: Redacted | null; readonly verdict: CheckVerdict }> {
  const { managementKey, managementKeyFile } = config.upstream
  if (managementKey === null && managementKeyFile === null) {
    return {
      key: null,
      verdict: fail(
        'not_set',
        'no management key is set',
        actionConditions.management_key_missing.remedy,
      ),
    }
  }
  const reading =
    managementKey === null
      ? await readKeyFile(managementKeyFile ?? '')
      : keyFromText(managementKey.reveal(), false)
  const place =
    managementKey === null ? `the file ${managementKeyFile}` : `the variable ${MANAGEMENT_KEY_ENV}`
  if (reading.kind === 'problem') {
    const { summary, remedy } = keyFileConditions[reading.reason]
    return { key: null, verdict: fail(reading.reason, `${place}: ${clauseOf(summary)}`, remedy) }
  }
  const mistake = mistakeOf(reading.key.reveal())
  if (mistake !== undefined) {
    return {
      key: null,
      verdict: fail(
        mistake.code,
        `${place} holds ${mistake.holds}; it was not sent to the proxy`,
        mistake.hint,
      ),
    }
  }
  const unread =
    managementKey !== null && managementKeyFile !== null
      ? `, which wins: ${managementKeyFile} is not read while it is set`
      : ''
  const verdict = reading.readableByOthers
    ? warn(
        'readable_by_others',
        `${place} can be read by other users of this machine`,
        actionConditions.key_file_readable_by_others.remedy,
      )
    : ok(`from ${place}${unread}`)
  return { key: reading.key, verdict }
}

/** Reason why a text is no key, which setup and the check tell before it is sent; undefined if it may be one. */
export function whyNoKey(text: string): string | undefined {
  const mistake = mistakeOf(text)
  return mistake && `This is ${mistake.holds}. ${mistake.hint}`
}

function mistakeOf(text: string) {
  return MISTAKEN_KEYS.find(({ looks }) => looks.test(text))
}

const BARE = 'Write the key alone: one line, without quotes, without a name in front.'

/** Common wrong contents of a key file. Each attempt with one of them would count toward the proxy's ban. */
const MISTAKEN_KEYS: readonly {
  readonly code: FindingCode
  readonly looks: RegExp
  readonly holds: string
  readonly hint: string
}[] = [
  {
    code: 'hashed_key',
    looks: /^["']?\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}["']?$/,
    holds: 'a bcrypt hash, as the proxy writes it into its configuration',
    hint: 'Write the key as it was before the proxy hashed it; where nobody knows it any more, set a new secret-key on the proxy.',
  },
  { code: 'quoted_key', looks: /^(["'`“”‘’]).*["'`“”‘’]$/, holds: 'a key in quotes', hint: BARE },
  {
    code: 'named_key',
    looks: /^(?:export\s+)?[\w.-]*(?:key|password|passwd|secret|token)\s*(?:=\s*[^\s=]|:\s+\S)/i,
    holds: 'a name and a key',
    hint: BARE,
  },
  { code: 'bearer_key', looks: /^bearer\s/i, holds: 'a header', hint: BARE },
  {
    code: 'placeholder_key',
    looks: /^(?:<.*>|\$\{?[A-Z_]+\}?)$/,
    holds: 'a placeholder',
    hint: 'Write the management key of the proxy into it.',
  },
]
