import { shownAnswer } from '../parts/answer-line.tsx'
import { shown } from '../parts/name.tsx'
import { health, shownProvider, shownUpstream } from '../state/live-data.ts'
import { accountKeyOf, files } from '../state/pool.ts'
import { isOfAll, providerName } from '../state/providers.ts'
import { route } from '../state/route.ts'
import { viewOf } from '../views/view-table.ts'
import { providerWords } from '../words/provider-words.ts'
import { strings } from '../words/strings.ts'

/** Title of the browser tab: whether a big job may start now, the trouble, and the current view. */
export function pageTitle(): string {
  const proxy = shownUpstream.value === '' ? [] : [shownUpstream.value]
  return [...answer(), ...trouble(), place(), ...provider(), ...proxy, strings.product].join(' · ')
}

function provider(): readonly string[] {
  if (isOfAll.value) return [providerWords.all]
  return shownProvider.value === '' ? [] : [providerName(shownProvider.value)]
}

function answer(): readonly string[] {
  const now = shownAnswer()
  return now === undefined ? [] : [shown(now.text).replace(/[.。]$/, '')]
}

function trouble(): readonly string[] {
  const now = health.value
  return now === null || now.actionCount === 0 ? [] : [`⚠ ${now.pill}`]
}

function place(): string {
  const { view, account: key } = route.value
  const { title } = viewOf(view)
  const account = files.value.find((each) => accountKeyOf(each) === key)
  return account === undefined ? title : `${shown(account.title)} · ${title}`
}
