import type { EpochMs } from './time.ts'

/** Kinds of receivers of messages. `webhook` gets the payload of Alertmanager's webhooks, version 4. */
export const notifyKinds = [
  'webhook',
  'ntfy',
  'telegram',
  'discord',
  'slack',
  'feishu',
  'bark',
] as const
/** One of `notifyKinds`. */
export type NotifyKind = (typeof notifyKinds)[number]

/** Topics a target can subscribe to. `recovered`: an action that it was notified of is over. */
export const notifyTopics = [
  'action',
  'recovered',
  'vendor_reset',
  'runway',
  'subscription',
] as const
/** One of `notifyTopics`. */
export type NotifyTopic = (typeof notifyTopics)[number]

/** A receiver of messages, as a `[[notify]]` table of the configuration describes it. */
export interface NotifyTarget {
  readonly name: string
  readonly kind: NotifyKind
  /** Absolute path of the file that holds the address. The address is a credential. */
  readonly urlFile: string
  readonly on: readonly NotifyTopic[]
  /** Mildest tone of an action that is sent. */
  readonly minTone: 'warn' | 'bad'
  /** Whether messages name accounts by their titles, which may be e-mail addresses. */
  readonly names: boolean
  /** Minutes of the day in the display time zone, from 0 to 1439; `from` > `to` spans midnight. Null: never quiet. */
  readonly quiet: { readonly from: number; readonly to: number } | null
  /** Whether bad actions are sent in quiet hours too. */
  readonly quietBad: boolean
}

/** Reasons for a failed delivery. `refused`: any 4xx but 408, which is a `timeout`, and 429; `unavailable`: 5xx. */
export const notifyFailures = [
  'address_unreadable',
  'bad_address',
  'unreachable',
  'tls',
  'timeout',
  'redirected',
  'refused',
  'throttled',
  'unavailable',
] as const
/** One of `notifyFailures`. */
export type NotifyFailure = (typeof notifyFailures)[number]

/** A target and the results of its messages, since the store was created, or since the start without a store. */
export interface NotifyStanding extends Pick<NotifyTarget, 'name' | 'kind'> {
  readonly sentCount: number
  readonly lostCount: number
  readonly waitingCount: number
  /** Null if nothing was sent yet. */
  readonly lastSentAt: EpochMs | null
  /** The failure of the last attempt; null after a success, and before any attempt. */
  readonly failure: { readonly code: NotifyFailure; readonly since: EpochMs } | null
  /** Whether a message was given up since the last success, so that an operator must act. */
  readonly isFailing: boolean
}
