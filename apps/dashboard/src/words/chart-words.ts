import type { QuotaCourse } from '@svc/views'
import { byId } from './by-id.ts'

/** Texts of the chart of past and coming quota, loaded after the first view. */
export const flowWords = {
  /** Description of the whole chart for screen readers. `end` states the remaining quota at its end. */
  summary: (window: string, from: string, to: string, unit: string, end: string) =>
    `${window}: ${from === to ? `${to} ${unit} now` : `from ${from} to ${to} ${unit} so far`}; ${end}`,
  reader: (window: string) => `${window} by time`,
  /** Amounts with their unit, as in `0.2 Plus`. */
  /** `held` is empty if nothing is. */
  usable: (moment: string, units: string, held: string) =>
    `${moment}: ${units} usable${held === '' ? '' : `, ${held} held`}`,
  unused: (moment: string, units: string) => `${moment}: ${units} if nothing is used`,
  expected: (moment: string, units: string, low: string, high: string) =>
    `${moment}: ${units} expected${low === high ? '' : ` (${low} to ${high})`}`,
  rough: (moment: string, low: string, high: string, unit: string) =>
    `${moment}: ${low === high ? low : `${low} to ${high}`} ${unit} expected, roughly`,
  unknown: (moment: string) => `${moment}: not known`,
  since: (moment: string) => `kept since ${moment}`,
  dryAt: (moment: string) => `dry ${moment}`,
  dryNote: (moment: string) => `; at this pace dry about ${moment}`,
}

type State = QuotaCourse['windows'][number]['cycles'][number]['state']

/** Texts about the use of past windows, in the drawer and in Stats. */
export const cycleWords = {
  barTitle: (window: string) => `${window}, used`,
  used: (percent: string) => `${percent} used`,
  usedAtLeast: (percent: string) => `at least ${percent} used`,
  ranDry: 'ran dry',
  expired: (percent: string) => `${percent} expired unused`,
  endUnknown: 'its end was not read',
  states: byId<Exclude<State, 'ended'>>({
    running: 'still running',
    refilled: 'refilled before its reset',
  }),
  notBegun: 'no window in use',
  table: (count: number, dry: number) => `${count} window${count === 1 ? '' : 's'}, ${dry} ran dry`,
  heads: ['Window', 'Used', 'What was left'] as readonly [string, string, string],
  title: 'Quota that expired unused',
  expiredUnits: (units: string, isLeast: boolean) =>
    `${isLeast ? 'at least ' : ''}*${units}* a week expired unused`,
  notBegunUnits: (units: string) => `*${units}* a week waited for a first request`,
  trackedUnits: (units: string) => `of ${units} a week`,
  tooShort: (span: string) =>
    `What expires in a week is known once a week was watched; so far it was ${span}.`,
  tableHeads: ['Window', 'Ran dry', 'End not known'] as readonly [string, string, string],
  dryOf: (dry: string, known: string) => `${dry} of ${known}`,
  note: (range: string, unit: string) =>
    `${range}, accounts listed now, weekly windows in ${unit}. Much expired and few windows ran dry: fewer accounts would do. Little expired and many ran dry: more are needed.`,
  failed: 'How full the windows were could not be loaded.',
}
