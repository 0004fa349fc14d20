import type { QuotaCourse } from '@svc/views'
import { byId } from './by-id.ts'

type State = QuotaCourse['windows'][number]['cycles'][number]['state']

/** Words about how full windows were, in the drawer and in Stats. */
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
  span: (from: string, to: string) => `${from} – ${to}`,
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
