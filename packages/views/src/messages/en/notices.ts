import type { NotifyFailure } from '@svc/core/notify'
import { countedText, countText } from '../../format/format.ts'
import type { Words } from '../conditions/conditions.ts'

/** Texts of outgoing messages and of their delivery. */
export const notices = {
  heading: (firing: number, resolved: number) => {
    const parts = [
      ...(firing > 0 ? [countedText(firing, 'problem')] : []),
      ...(resolved > 0 ? [`${countText(resolved)} over`] : []),
    ]
    return `svc-quota-monitor: ${parts.length === 0 ? 'news' : parts.join(', ')}`
  },
  resolved: 'Over',
  times: (count: number) => `${countText(count)} times since the last message`,
  omitted: (count: number) => `${countText(count)} more, too many to be sent one by one.`,
  test: 'This is a test: messages of svc-quota-monitor arrive here.',
  /** For example `4 Plus accounts`, for a message without names. */
  accountsOf: ({ count, plan }: { readonly count: number; readonly plan: string }) =>
    countedText(count, `${plan} account`),
  listOf: (parts: readonly string[]) => parts.join(', '),
  sentences: (parts: readonly string[]) => parts.join(' '),
  /** Replaces the address of this machine in a message without names. */
  someAddress: 'an address that other machines reach',
  nothingSent: 'Nothing has been sent yet.',
  lastSent: (when: string) => `Last sent ${when}.`,
  failsSince: (moment: string) => `It has failed since ${moment}.`,
  waiting: (count: number) =>
    count === 1 ? 'A message waits for the next attempt.' : `${countText(count)} messages wait.`,
  lost: (count: number) =>
    count === 1 ? 'One was given up.' : `${countText(count)} were given up.`,
}

/** Reason and remedy for each failure to deliver a message. */
export const notifyConditions: Readonly<Record<NotifyFailure, Words>> = {
  address_unreadable: {
    summary: 'The file with the address of the receiver cannot be used.',
    remedy:
      'Put the address into the file that url_file names, readable by this service alone (chmod 600).',
  },
  bad_address: {
    summary: 'The file holds no address that fits the kind of receiver.',
    remedy: 'Copy the address from the receiver into the file that url_file names.',
  },
  unreachable: {
    summary: 'The receiver cannot be reached.',
    remedy: 'Check the address, and that this machine may connect to it.',
  },
  tls: {
    summary: 'The certificate of the receiver is not trusted.',
    remedy: 'Renew the certificate, or name its authority in NODE_EXTRA_CA_CERTS.',
  },
  timeout: {
    summary: 'The receiver did not answer within 10 s.',
    remedy: 'Check that the receiver runs, and what stands between it and this machine.',
  },
  redirected: {
    summary: 'The receiver points to another address, which is not followed.',
    remedy: 'Put the address that the receiver points to into the file that url_file names.',
  },
  refused: {
    summary: 'The receiver refused the message.',
    remedy: 'Check that the address is still valid at the receiver, and that kind is right.',
  },
  throttled: {
    summary: 'The receiver takes no more messages for now.',
    remedy: 'Have it told less: fewer topics in "on", or min_tone = "bad".',
  },
  unavailable: {
    summary: 'The receiver answered with an error of its own.',
    remedy: 'Look at the log of the receiver, or ask who runs it.',
  },
}
