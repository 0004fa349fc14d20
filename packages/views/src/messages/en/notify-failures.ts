import type { NotifyFailure } from '@svc/core/notify'
import type { Words } from '../conditions/words.ts'

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
