import {
  type EpochMs,
  type EvaluatedAccount,
  type HealthAction,
  instantToIso,
  type Snapshot,
  type Tone,
} from '@svc/core'
import type { NamedAccount, OpenAction } from '@svc/core/health'
import {
  type Notice,
  type NoticesNow,
  type NotifyStanding,
  notifyFailures,
  notifyKinds,
} from '@svc/core/notify'
import { allAccountsOf, type ChangeDetail } from '@svc/core/pool'
import * as v from 'valibot'
import { actionWords, changeWords } from '../messages/health-words.ts'
import type { Wording } from '../messages/wording.ts'
import { titleWithoutName } from './resets-calendar.ts'
import { countSchema, described, instantSchema, isoOrNull, toneSchema } from './wire-schema.ts'

type Topic = Notice['topic']

/** Topics of actions that have a topic of their own. */
const actionTopics: Readonly<Partial<Record<HealthAction['code'], Topic>>> = {
  runway_short: 'runway',
  subscription_ends: 'subscription',
  banked_reset_lapses: 'banked_reset',
}

/** Code of a change that names no account, so that any target may get it. */
type NamelessCode = Exclude<ChangeDetail, { readonly title: string }>['code']
/** Topics of the changes that cause a notice. */
const changeTopics: Readonly<Partial<Record<NamelessCode, Topic>>> = {
  vendor_reset: 'vendor_reset',
  banked_reset_arrived: 'banked_reset',
}

/** Notices of a snapshot. `previous`: the preceding snapshot; null for the first. */
export function noticesView(
  previous: Snapshot | null,
  snapshot: Snapshot,
  text: Wording,
): NoticesNow {
  const { evaluatedAt: at, health } = snapshot
  const withoutNames = namesRemovedIn(snapshot, text)
  const happened = happenedNotices(previous, snapshot, text)
  return {
    at,
    open: {
      named: health.actions.map((action) => actionNotice(action, at, text)),
      unnamed: health.actions.map((open) => {
        const { action, plans } = withoutNames(open.action)
        return actionNotice({ ...open, action }, at, text, plans)
      }),
    },
    happened: { named: happened, unnamed: happened },
  }
}

/** `plans`: text that replaces a list of accounts. */
function actionNotice(open: OpenAction, now: EpochMs, text: Wording, plans?: string): Notice {
  const { id, tone, action, since, upstream } = open
  const words = actionWords(action, now, text)
  const accounts = 'accounts' in action ? action.accounts : []
  const [first] = accounts
  const isList = first !== undefined && words.detail?.includes(first.title) === true
  const detail = isList ? (plans ?? words.detail) : words.detail
  const parts = [words.summary, detail].filter((part) => part !== undefined)
  return {
    id,
    topic: actionTopics[action.code] ?? 'action',
    code: action.code,
    tone: toldTone(tone),
    count: Math.max(1, accounts.length),
    startsAt: since,
    // The end of an action is told by its title alone.
    title: [words.title, ...(accounts.length === 1 ? [first?.title] : [])].join(' · '),
    summary: text.words.notices.sentences(parts),
    remedy: words.note,
    ...(upstream === undefined ? {} : { upstream }),
    ...('target' in action ? { notFor: [action.target] } : {}),
  }
}

function happenedNotices(
  previous: Snapshot | null,
  { recentChanges, evaluatedAt: now }: Snapshot,
  text: Wording,
): readonly Notice[] {
  // Changes are newest first, and most evaluations find none.
  if (previous === null || recentChanges[0]?.at !== now) return []
  const known = new Set(previous.recentChanges.map(({ detail }) => detail))
  const topics: Readonly<Partial<Record<string, Topic>>> = changeTopics
  return recentChanges.flatMap(({ at, tone, detail }): readonly Notice[] => {
    const topic = topics[detail.code]
    if (topic === undefined || at !== now || known.has(detail)) return []
    const { code } = detail
    const { title, badge, summary } = changeWords(detail, now, text)
    const startsAt = 'seenAt' in detail ? detail.seenAt : at
    const of = [
      ...('provider' in detail ? [detail.provider] : []),
      ...('windowId' in detail ? [detail.windowId] : []),
    ]
    return [
      {
        id: [code, ...of].join(':'),
        topic,
        code,
        tone: toldTone(tone),
        count: 'accountCount' in detail ? detail.accountCount : 1,
        startsAt,
        title: `${title} · ${badge}`,
        summary,
      },
    ]
  })
}

function toldTone(tone: Tone): Notice['tone'] {
  return tone === 'unknown' ? 'warn' : tone
}

/** Replaces account names by plans, with the number of accounts per plan for a group, and omits addresses. */
function namesRemovedIn(snapshot: Snapshot, text: Wording) {
  const { notices, planName } = text.words
  let byKey: ReadonlyMap<string, EvaluatedAccount> | null = null
  const accountOf = ({ accountKey }: NamedAccount) => {
    byKey ??= new Map(
      allAccountsOf(snapshot).map((account) => [account.selector.accountKey, account]),
    )
    return byKey.get(accountKey)
  }
  const planned = (named: NamedAccount) => ({
    plan: accountOf(named)?.plan ?? 'unknown',
    selector: named,
  })
  const countsOf = (group: readonly NamedAccount[]) => {
    const counts = new Map<string, number>()
    for (const { plan } of group.map(planned)) counts.set(plan, (counts.get(plan) ?? 0) + 1)
    const texts = [...counts].map(([plan, count]) =>
      notices.accountsOf({ count, plan: planName(plan) }),
    )
    return notices.listOf(texts)
  }
  return (action: HealthAction): { readonly action: HealthAction; readonly plans?: string } => {
    if ('accounts' in action) {
      const named = action.accounts.map((account) => ({
        ...account,
        title: titleWithoutName(planned(account), text),
      }))
      const unnamed = { action: { ...action, accounts: named } as HealthAction }
      return named.length === 1 ? unnamed : { ...unnamed, plans: countsOf(action.accounts) }
    }
    if (action.code === 'gateway_down')
      return { action: { code: action.code, since: action.since } }
    if (action.code === 'risky_listener')
      return { action: { ...action, host: notices.someAddress } }
    return { action }
  }
}

export const messageTargetSchema = described(
  v.object({
    name: v.string(),
    kind: v.picklist(notifyKinds),
    sentCount: countSchema,
    lostCount: described(
      countSchema,
      'Number of messages given up, after an hour of attempts or because the receiver refused them.',
    ),
    waitingCount: described(countSchema, 'Number of messages waiting for their next attempt.'),
    lastSentAt: described(
      v.nullable(instantSchema),
      'Time of the last delivered message; null if none was delivered.',
    ),
    failure: described(
      v.nullable(v.picklist(notifyFailures)),
      'Reason why the last attempt failed; null if it succeeded or there was none.',
    ),
    failureSince: v.nullable(instantSchema),
    tone: toneSchema,
    text: v.string(),
  }),
  'One notification target. Counts start with the store, or with the process if there is no store.',
)

type MessageTarget = v.InferOutput<typeof messageTargetSchema>

/** A target of messages, worded as of `now`. */
export function messageTargetView(
  standing: NotifyStanding,
  now: EpochMs,
  text: Wording,
): MessageTarget {
  const { name, kind, sentCount, lostCount, waitingCount, lastSentAt, failure } = standing
  return {
    name,
    kind,
    sentCount,
    lostCount,
    waitingCount,
    lastSentAt: isoOrNull(lastSentAt),
    failure: failure?.code ?? null,
    failureSince: failure === null ? null : instantToIso(failure.since),
    tone: toneOf(standing),
    text: textOf(standing, now, text),
  }
}

function toneOf({ failure, lastSentAt }: NotifyStanding): Tone {
  if (failure !== null) return 'warn'
  return lastSentAt === null ? 'unknown' : 'good'
}

function textOf(
  { lostCount, waitingCount, lastSentAt, failure }: NotifyStanding,
  now: EpochMs,
  text: Wording,
): string {
  const { notices, notifyConditions } = text.words
  return notices.sentences([
    ...(failure === null
      ? []
      : [
          notifyConditions[failure.code].summary,
          notices.failsSince(text.momentText(failure.since, now)),
        ]),
    lastSentAt === null ? notices.nothingSent : notices.lastSent(text.whenText(lastSentAt, now)),
    ...(waitingCount === 0 ? [] : [notices.waiting(waitingCount)]),
    ...(lostCount === 0 ? [] : [notices.lost(lostCount)]),
  ])
}
