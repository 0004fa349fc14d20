import { leftText } from '../parts/bars.tsx'
import { shown } from '../parts/name.tsx'
import { leftOf } from '../state/left-of.ts'
import { health, isSilent, shownUpstream, status } from '../state/live-data.ts'
import { accountKeyOf, files } from '../state/pool.ts'
import { route } from '../state/route.ts'
import { viewOf } from '../views/view-table.ts'
import { strings } from '../words/strings.ts'

/** Title of the browser tab: the trouble, the quota left in the 5h window, and the current view. */
export function pageTitle(): string {
  const proxy = shownUpstream.value === '' ? [] : [shownUpstream.value]
  return [...trouble(), ...leftWords(), place(), ...proxy, strings.product].join(' · ')
}

function trouble(): readonly string[] {
  const now = health.value
  const actions = now === null || now.actionCount === 0 ? [] : [now.pill]
  const texts = isSilent.value ? [strings.notUpdatingTitle, ...actions] : actions
  return texts.length === 0 ? [] : [`⚠ ${strings.listOf(texts)}`]
}

/** Quota left for the title; empty if the numbers may be outdated. */
function leftWords(): readonly string[] {
  const fiveHour = status.value?.summary.fiveHour
  if (isSilent.value || fiveHour === undefined || fiveHour.trackedUnits === 0) return []
  const { usable, held } = leftOf(fiveHour)
  return [leftText(usable, held, fiveHour.trackedUnits)]
}

function place(): string {
  const { view, account: key } = route.value
  const { title } = viewOf(view)
  const account = files.value.find((each) => accountKeyOf(each) === key)
  return account === undefined ? title : `${shown(account.title)} · ${title}`
}
