import type { SourceFailureCode } from '@svc/core/service'
import { capitalised } from '../../format/format.ts'
import type { SourceFailureWords } from '../names/source-names.ts'
import { refusalRemedies } from './refusal-remedies.ts'

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
    remedy: `Set remote-management.secret-key on the proxy, or correct ${addressKey}.`,
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
