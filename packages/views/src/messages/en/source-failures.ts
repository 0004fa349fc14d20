import type { KeyFileProblem, SourceFailureCode } from '@svc/core/service'
import { capitalised } from '../../format/format.ts'
import type { Words } from '../conditions/conditions.ts'
import type { SourceFailureWords } from '../names/names.ts'

export const sourceConditions: Readonly<Record<SourceFailureCode, SourceFailureWords>> = {
  unreachable: ({ name, reachable }) => ({
    badge: 'Unreachable',
    summary: `No connection to ${name}.`,
    remedy: reachable,
  }),
  timeout: ({ name, reachable }) => ({
    badge: 'Timeout',
    summary: `No answer from ${name} in time.`,
    remedy: reachable,
  }),
  tls: ({ name, addressKey }) => ({
    badge: 'TLS',
    summary: `No secure connection to ${name}.`,
    remedy: `Check its certificate and the scheme of ${addressKey}.`,
  }),
  dns: ({ name, addressKey }) => ({
    badge: 'DNS',
    summary: `The host name of ${name} cannot be resolved.`,
    remedy: `Correct the host name in ${addressKey}, or the name service.`,
  }),
  too_large: ({ name, addressKey, isFile }) => ({
    badge: 'Too large',
    summary: isFile
      ? `The file of ${name} is too large to read.`
      : `An answer from ${name} was too large to read.`,
    remedy: isFile
      ? `Check the file that ${addressKey} names.`
      : `Check what answers at ${addressKey}.`,
  }),
  bad_payload: ({ name, addressKey, isFile }) => ({
    badge: 'Unreadable',
    summary: isFile
      ? `The file of ${name} is not written as it must be.`
      : `An answer from ${name} could not be understood.`,
    remedy: isFile
      ? `Correct the file that ${addressKey} names; the log and doctor say what is wrong with it.`
      : `Check what answers at ${addressKey}, and its version.`,
  }),
  redirected: ({ name, addressKey }) => ({
    badge: 'Redirected',
    summary: `A redirect from ${name} was not followed.`,
    remedy: `Set ${addressKey} to the address it redirects to.`,
  }),
  throttled: ({ name, calmer }) => ({
    badge: 'Throttled',
    summary: `${capitalised(name)} asks for fewer queries.`,
    remedy: calmer,
  }),
  server_error: ({ name }) => ({
    badge: 'Server error',
    summary: `${capitalised(name)} answered with a server error.`,
    remedy: "Look at the proxy's log.",
  }),
  management_disabled: ({ addressKey, address = 'this address' }) => ({
    badge: 'No API',
    summary: `There is no management API at ${address}.`,
    remedy: `Set remote-management.secret-key on the proxy (management.secret-key with config-version: 8), or correct ${addressKey}; a node of a Home has none.`,
  }),
  home: ({ addressKey, address = 'this address' }) => ({
    badge: 'Home',
    summary: `A CLIProxyAPI Home answers at ${address}, and a Home is not read.`,
    remedy: `Set ${addressKey} to a proxy that belongs to no Home; a node of a Home has no management API.`,
  }),
  unsupported: () => ({
    badge: 'Unsupported',
    summary: 'This version of the proxy does not offer it.',
    remedy: 'Update the proxy.',
  }),
  forbidden: () => ({
    badge: 'Forbidden',
    summary: 'The proxy refuses management from this address.',
    remedy: refusalRemedies.forbidden,
  }),
  unauthorized: () => ({
    badge: 'Key refused',
    summary: 'The proxy refused the management key.',
    remedy: refusalRemedies.unauthorized,
  }),
  banned: () => ({
    badge: 'Banned',
    summary: 'The proxy bans this address for a while.',
    remedy: refusalRemedies.banned,
  }),
  no_key: () => ({
    badge: 'No key',
    summary: 'There is no management key.',
    remedy: 'Set management_key_file.',
  }),
  blocked_by_vendor: () => ({
    badge: 'Blocked',
    summary: 'The vendor refuses the queries themselves, not the accounts.',
    remedy: 'Wait, or let the proxy reach the vendor from another address.',
  }),
  file_unreadable: ({ name, addressKey }) => ({
    badge: 'Unreadable',
    summary: `The file of ${name} cannot be read.`,
    remedy: `Check that ${addressKey} names a file that the service may read.`,
  }),
  file_untrusted: () => ({
    badge: 'Untrusted',
    summary: 'A file with secrets is not used: other users own it, or can write it or its folder.',
    remedy:
      'Give it to the user of the service, and take write permission from others; doctor names it.',
  }),
  store_unavailable: () => ({
    badge: 'Store',
    summary: 'The history store cannot be used now.',
    remedy: 'See the action about the history for what to do.',
  }),
  clock_doubted: () => ({
    badge: 'Clock',
    summary: 'Nothing is read while the clock of this machine cannot be trusted.',
    remedy: 'See the action about the clock for what to do.',
  }),
  unexpected_status: ({ name, addressKey }) => ({
    badge: 'Unexpected',
    summary: `${capitalised(name)} answered with an unexpected status.`,
    remedy: `Check what answers at ${addressKey}.`,
  }),
}

/** Reason and remedy for each problem with the management key file. */
export const keyFileConditions: Readonly<Record<KeyFileProblem, Words>> = {
  missing: {
    summary: 'The file that management_key_file names does not exist.',
    remedy: 'Create the file, or correct management_key_file.',
  },
  unreadable: {
    summary: 'The key file cannot be read.',
    remedy: 'Let the user of this service read the key file (chown, chmod 600).',
  },
  closed_folder: {
    summary: 'The key file is in a folder that this service may not enter.',
    remedy:
      'Let the user of this service enter the folders above the key file (chmod +x, or their group).',
  },
  not_a_file: {
    summary: 'management_key_file does not name a regular file.',
    remedy: 'Point management_key_file at a regular file.',
  },
  foreign_owner: {
    summary: 'The key file belongs to another user, who could change it, so its key is not used.',
    remedy: 'Give the key file to the user of this service, or to root (chown).',
  },
  writable_by_others: {
    summary: 'Other users can write the key file or its folder, so its key is not used.',
    remedy:
      'Remove write permission for others from the key file and the folders above it (chmod go-w).',
  },
  too_large: {
    summary: 'The key file is too large to hold a key.',
    remedy: 'Put nothing but the management key into the file.',
  },
  empty: { summary: 'The key file is empty.', remedy: 'Put the management key into the file.' },
  utf16: {
    summary: 'The key file is in UTF-16, as some editors and PowerShell of Windows write it.',
    remedy: 'Save the key file as UTF-8 or ASCII.',
  },
  nul: {
    summary: 'The key file holds NUL bytes, as no text does.',
    remedy: 'Write the key again as plain text; something binary may be in its place.',
  },
  several_lines: {
    summary: 'The key file holds several lines.',
    remedy: 'Leave the management key alone in the file, on one line.',
  },
  odd_characters: {
    summary:
      'The key holds characters that no header can carry, as umlauts, tabs and control codes.',
    remedy: 'Copy the key again, as plain ASCII text.',
  },
}

/** Remedies for a refused management call, by failure code. The health action and the failed source share them. */
export const refusalRemedies = {
  unauthorized:
    'Set the management key that the proxy is configured with, in plain text, not the hash.',
  forbidden:
    'Set remote-management.allow-remote (management.allow-remote with config-version: 8) or MANAGEMENT_PASSWORD on the proxy, or run the monitor beside it.',
  banned: 'Correct the management key before the ban ends.',
} as const
