import { shownAnswer } from '../parts/answer-line.tsx'
import { shown } from '../parts/text.tsx'
import { health, isSilent, shownProvider, shownUpstream } from '../state/live-data.ts'
import { openAccount } from '../state/pool.ts'
import { isOfAll, providerTitle } from '../state/providers.ts'
import { route } from '../state/route.ts'
import { findView } from '../views/view-table.ts'
import { providerWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'

/** Title of the browser tab: whether a big job may start now, the trouble, and the current view. */
export function pageTitle(): string {
  const proxy = shownUpstream.value === '' ? [] : [shownUpstream.value]
  return [...answer(), ...trouble(), place(), ...provider(), ...proxy, strings.product].join(' · ')
}

function provider(): readonly string[] {
  if (isOfAll.value) return [providerWords.all]
  return shownProvider.value === '' ? [] : [providerTitle(shownProvider.value)]
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
  const { title } = findView(route.value.view)
  const account = openAccount.value
  return account === null ? title : `${shown(account.title)} · ${title}`
}

type IconState = 'good' | 'warn' | 'bad' | 'silent' | 'unknown'

/** 16 × 16, distinguished by shape as well as by colour; readable on light and dark tab bars. */
const SHAPES: Readonly<Record<IconState, string>> = {
  good: '<circle cx="8" cy="8" r="7" fill="#1a8a86"/><path d="m4.5 8.2 2.4 2.4 4.6-5" fill="none" stroke="#fff" stroke-width="2"/>',
  warn: '<path d="M8 .8 15.6 15H.4z" fill="#e09a1e"/><path d="M8 6v4m0 1.4V13" stroke="#221500" stroke-width="2"/>',
  bad: '<path d="M5 .5h6L15.5 5v6L11 15.5H5L.5 11V5z" fill="#d8322b"/><path d="m5 5 6 6m0-6-6 6" stroke="#fff" stroke-width="2"/>',
  silent:
    '<path d="M1 1h14v14H1z" fill="#7b8a89"/><path d="m2 14 12-12" stroke="#fff" stroke-width="3"/>',
  unknown: '<circle cx="8" cy="8" r="6" fill="none" stroke="#7b8a89" stroke-width="2.5"/>',
}

function iconState(): IconState {
  if (isSilent.value) return 'silent'
  return health.value?.state ?? 'unknown'
}

/** The icon for the current state as a data URL, which needs no request. */
export function faviconHref(): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${SHAPES[iconState()]}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

export function showFavicon(href: string): void {
  document.querySelector('link[rel=icon]')?.setAttribute('href', href)
}
