import { keyFromText, readKeyFile } from '@svc/collector'
import type { Config } from '@svc/config'
import type { KeyFileProblem, Redacted } from '@svc/core'
import { type FindingCode, fail, ok, type Verdict, warn } from './finding.ts'

/** The key that may be sent, null where there is none, and what is to be said about it. A key that cannot be right is not sent. */
export async function managementKeyOf(config: Config): Promise<{ readonly key: Redacted | null; readonly verdict: Verdict }> {
  const { managementKey, managementKeyFile } = config
  if (managementKey === null && managementKeyFile === null) {
    const hint = 'Set management_key_file to a file that holds the management key of the proxy.'
    return { key: null, verdict: fail('not_set', 'no management key is set', hint) }
  }
  const reading = managementKey === null ? await readKeyFile(managementKeyFile ?? '') : keyFromText(managementKey.reveal(), false)
  const place = managementKey === null ? `the file ${managementKeyFile}` : 'the environment'
  if (reading.kind === 'problem') {
    const { detail, hint } = KEY_PROBLEMS[reading.reason]
    return { key: null, verdict: fail(reading.reason, `${place}: ${detail}`, hint) }
  }
  const mistake = MISTAKEN_KEYS.find(({ looks }) => looks.test(reading.key.reveal()))
  if (mistake !== undefined) {
    return { key: null, verdict: fail(mistake.code, `${place} holds ${mistake.holds}; it was not sent to the proxy`, mistake.hint) }
  }
  const unread = managementKey !== null && managementKeyFile !== null ? '; the key file is not read' : ''
  const verdict = reading.readableByOthers
    ? warn(
        'readable_by_others',
        `${place} can be read by other users of this machine`,
        'Make it readable by this service alone: chmod 600.',
      )
    : ok(`from ${place}${unread}`)
  return { key: reading.key, verdict }
}

const KEY_PROBLEMS: Readonly<Record<KeyFileProblem, { readonly detail: string; readonly hint: string }>> = {
  missing: { detail: 'there is no such file', hint: 'Write the key there, or correct management_key_file.' },
  unreadable: {
    detail: 'it cannot be read, or holds what is no key',
    hint: 'Let this user read it; it must hold the key as one line of plain text.',
  },
  not_a_file: { detail: 'that is no regular file', hint: 'Put a plain file there.' },
  foreign_owner: { detail: 'it belongs to another user', hint: 'Give it to the user of this service, or to root (chown).' },
  writable_by_others: {
    detail: 'others can write to it, or to a folder on the way',
    hint: 'Take the right to write away from others: chmod 600 the file, chmod go-w its folders.',
  },
  too_large: { detail: 'it is larger than 1 MiB', hint: 'Point management_key_file at the file that holds the key and nothing else.' },
  empty: { detail: 'it is empty', hint: 'Write the management key of the proxy into it.' },
}

const BARE = 'Write the key alone: one line, without quotes, without a name in front.'

/** What people put where the bare key belongs. Each attempt with it would count toward the ban. */
const MISTAKEN_KEYS: readonly { readonly code: FindingCode; readonly looks: RegExp; readonly holds: string; readonly hint: string }[] = [
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
