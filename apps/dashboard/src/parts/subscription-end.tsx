import { calmMs, type PoolAccount, zone } from '../state/live-data.ts'
import { subscriptionStateOf } from '../state/pool.ts'
import { accountWords } from '../words/account-words.ts'
import { countingDurationText } from '../words/times.ts'
import { ToneIcon } from './icon.tsx'

const TONES = {
  running: 'good',
  ends_soon: 'warn',
  last_day: 'bad',
  ended: 'bad',
  renewed: 'unknown',
} as const

/** Until when an account is paid for; nothing where its login does not say. */
export function SubscriptionEnd({ account }: { readonly account: PoolAccount }) {
  const state = subscriptionStateOf(account)
  const { paidUntil, subscription } = account
  if (paidUntil === undefined || state === 'unknown') return null
  const untilMs = Date.parse(paidUntil)
  const now = calmMs.value
  const when = zone.value.whenText(untilMs, now)
  return (
    <>
      <h3>{accountWords.subscription}</h3>
      <p class="status">
        <ToneIcon tone={TONES[state]} />
        {accountWords.paid[state](when, spanText(Math.abs(untilMs - now)))}
      </p>
      <p class="dim small">
        {subscription?.seenAt == null
          ? accountWords.asOfLogin
          : accountWords.asOfLoginAt(spanText(now - Date.parse(subscription.seenAt)))}
      </p>
    </>
  )
}

const spanText = (ms: number) => countingDurationText(Math.max(0, ms / 1000))
