import { keyFromText, readKeyFile } from '@svc/collector'
import { type Config, MANAGEMENT_KEY_ENV } from '@svc/config'
import type { Redacted } from '@svc/core/service'
import { actionConditions, clauseOf, keyFileConditions } from '@svc/views/messages'
import { type FindingCode, fail, ok, type Verdict, warn } from './finding.ts'

/** The key that doctor may send, or null, with the findings about it. A key that cannot be right is not sent. */
export async function managementKeyOf(
  config: Config,
): Promise<{ readonly key: Redacted | null; readonly verdict: Verdict }> {
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
  const mistake = MISTAKEN_KEYS.find(({ looks }) => looks.test(reading.key.reveal()))
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

const BARE = 'Write the key alone: one line, without quotes, without a name in front.'

/** Common mistakes in place of the bare key. Each attempt with one of these would count toward the proxy's ban. */
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
