import { planLabel } from '@svc/core'
import { countedText, unitsText } from '../../format/format.ts'
import type { ChangeTextsByCode, ReadingsTexts } from '../conditions/conditions.ts'
import { stateWord } from '../names/names.ts'
import { windowLabel } from './names.ts'
import { benchmarkText } from './sources.ts'
import { statuses } from './statuses.ts'
import { unitNames, unitOf } from './unit-name.ts'

const { usedUp } = statuses

const readings: ReadingsTexts = {
  live: { badge: 'Live', summary: 'All sources answer again.' },
  demo: { badge: 'Demo', summary: 'The demo began.' },
  partial: { badge: 'Partial', summary: 'Some sources failed.' },
  stale: {
    badge: 'Stale',
    summary: 'The account list cannot be read anew; the last one is shown.',
  },
  unavailable: { badge: 'Unavailable', summary: 'No account list can be read.' },
}

export const changes: ChangeTextsByCode = {
  account_added: { badge: () => 'Added', summary: () => 'Joined the pool.' },
  account_removed: { badge: () => 'Removed', summary: () => 'Left the pool.' },
  account_renamed: {
    badge: () => 'Renamed',
    summary: ({ toAuthName, fromAuthName }) => `File is ${toAuthName}, was ${fromAuthName}.`,
  },
  plan_changed: {
    badge: ({ to }) => planLabel(to),
    summary: ({ to, from }) => `Plan is ${planLabel(to)}, was ${planLabel(from)}.`,
  },
  status_changed: {
    badge: ({ to, toReason }) => stateWord(to, toReason, statuses),
    summary: ({ to, from, toReason, fromReason, until }, now, text) => {
      const [word, before] = [
        stateWord(to, toReason, statuses),
        stateWord(from, fromReason, statuses),
      ]
      return `Status is ${word === before ? `still ${word}` : `${word}; it was ${before}`}.${until === null ? '' : ` Until ${text.momentText(until, now)}.`}`
    },
  },
  window_exhausted: {
    badge: () => 'Used up',
    summary: ({ windowId }) => `${usedUp(windowId)}.`,
  },
  window_reset: {
    badge: () => 'Came back',
    summary: ({ windowId }) => `${windowLabel(windowId)} quota came back.`,
  },
  vendor_reset: {
    title: 'Vendor',
    badge: () => 'Reset',
    summary: ({ provider, windowId, accountCount, units, seenAt }, now, text) => {
      const accounts = accountCount === 1 ? 'one account' : `${accountCount} accounts`
      const returned =
        units === undefined ? '' : `, ${unitsText(units)} ${unitNames[unitOf(provider)]}`
      return `${windowLabel(windowId)} quota of at least ${accounts} came back before its reset${returned}. First seen ${text.whenText(seenAt, now)}.`
    },
  },
  banked_reset_arrived: {
    title: 'Banked resets',
    badge: () => 'Arrived',
    summary: ({ accountCount, count, seenAt }, now, text) =>
      `${countedText(accountCount, 'account')} got ${countedText(count, 'reset')} to spend. First seen ${text.whenText(seenAt, now)}.`,
  },
  banked_reset_spent: {
    badge: () => 'Reset spent',
    summary: ({ count }) => `${countedText(count, 'banked reset')} spent: quota came back.`,
  },
  banked_reset_lapsed: {
    badge: () => 'Reset lapsed',
    summary: ({ count }) => `${countedText(count, 'banked reset')} lapsed unused.`,
  },
  source_changed: {
    title: 'Sources',
    badge: ({ to }) => readings[to].badge,
    summary: ({ to }) => readings[to].summary,
  },
  gateway_changed: {
    title: 'Gateway',
    badge: ({ up }) => (up ? 'Up' : 'Down'),
    summary: ({ up }) => (up ? 'The proxy answers again.' : 'The proxy stopped answering.'),
  },
  proxy_restarted: {
    title: 'Proxy',
    badge: () => 'Restarted',
    summary: () => 'Its counters began again; what they had is kept.',
  },
  history_started: {
    title: 'History',
    badge: () => 'Started',
    summary: () => 'Usage is kept from here on.',
  },
  benchmark_changed: {
    title: 'Benchmark summary',
    badge: () => 'New',
    summary: ({ to, from: { generatedAt } }, _, text) =>
      `${benchmarkText(to, text)} It replaces that ${generatedAt === null ? 'without a date' : `of ${text.dateText(generatedAt)}`}.`,
  },
}
