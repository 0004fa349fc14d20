import type { EpochMs } from './time.ts'

/** Kinds of notification targets. `webhook` gets the payload of Alertmanager's webhooks, version 4. */
export const notifyKinds = [
  'webhook',
  'ntfy',
  'telegram',
  'discord',
  'slack',
  'feishu',
  'bark',
] as const
export type NotifyKind = (typeof notifyKinds)[number]

/** Topics to which a target can subscribe. `recovered`: an action about which it was notified is over. */
export const notifyTopics = [
  'action',
  'recovered',
  'vendor_reset',
  'runway',
  'subscription',
  'banked_reset',
] as const
export type NotifyTopic = (typeof notifyTopics)[number]

/** A receiver of notifications, as configured in a `[[notify]]` table. */
export interface NotifyTarget {
  readonly name: string
  readonly kind: NotifyKind
  /** Absolute path of the file that contains the target's URL, which is a credential. */
  readonly urlFile: string
  readonly on: readonly NotifyTopic[]
  /** Least severe tone of an action that is sent. */
  readonly minTone: 'warn' | 'bad'
  /** Whether notifications contain account titles, which may be e-mail addresses. */
  readonly names: boolean
  /** Quiet hours as minutes of the day in the display time zone, 0 to 1439; `from` > `to` spans midnight. Null: no quiet hours. */
  readonly quiet: { readonly from: number; readonly to: number } | null
  /** Whether bad actions are also sent in quiet hours. */
  readonly quietBad: boolean
}

/** Reasons for a failed delivery. `refused`: any 4xx except 408 (a `timeout`) and 429; `unavailable`: 5xx. */
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
export type NotifyFailure = (typeof notifyFailures)[number]

/** A target and its delivery results since the store was created, or since the start if there is no store. */
export interface NotifyStanding extends Pick<NotifyTarget, 'name' | 'kind'> {
  readonly sentCount: number
  readonly lostCount: number
  readonly waitingCount: number
  /** Null if nothing was sent yet. */
  readonly lastSentAt: EpochMs | null
  /** The failure of the last attempt; null after a success or before the first attempt. */
  readonly failure: { readonly code: NotifyFailure; readonly since: EpochMs } | null
  /** Whether a notification was given up since the last success, so that an operator must act. */
  readonly isFailing: boolean
}
