import { isNarrow, kiosk } from '../state/display-state.ts'
import { calmMs, connection, isSilent, shownMs, status, zone } from '../state/live-data.ts'
import { rankedAccounts } from '../state/pool.ts'
import { answerScope } from '../state/providers.ts'
import { FIRST_VIEW, route, shownView } from '../state/route.ts'
import { strings } from '../words/strings.ts'
import { TryNow } from './button.tsx'
import { isPageCovered } from './drawer-panel.tsx'
import { ToneIcon } from './icon.tsx'
import { shown } from './text.tsx'

/** Whether a big job may start now, and until when. Shows the progress of the first reading while too many accounts are unknown. */
export function AnswerLine() {
  const answer = shownAnswer()
  // The first screen says itself what is missing.
  if (answer === undefined || (status.value?.available === false && kiosk.value === '')) return null
  const round = status.value?.summary.firstRound
  return (
    <div class={`answer tone-${answer.tone}${isAnswerOnScreen() ? '' : ' printed'}`}>
      <p class="asked">
        {!isNarrow.value && <b>{answerScope.value}</b>} {strings.bigJob}
      </p>
      <p>
        <ToneIcon tone={answer.tone} /> <Kept text={shown(answer.text)} />
      </p>
      {round != null && (
        <progress value={round.accountsRead} max={round.accountsToRead} aria-hidden="true" />
      )}
      {tellsOfProxy() && !isPageCovered.value && <TryNow />}
    </div>
  )
}

const isAnswerOnScreen = () => shownView(route.value) === FIRST_VIEW || kiosk.value !== ''

/** Whether the answer on the screen is that the proxy does not answer, which then need not be said again. */
export const tellsOfProxy = () =>
  isAnswerOnScreen() && !isSilent.value && status.value?.summary.answer?.code === 'proxy_down'

/** The sentence. The name of the best account and the punctuation after it stay on one line unless they are longer than a line. */
function Kept({ text }: { readonly text: string }) {
  const [best] = rankedAccounts.value
  const name = best === undefined ? '' : shown(best.title)
  const at = text.indexOf(name)
  if (name === '' || at < 0) return <>{text}</>
  const end = at + name.length + (/[^\w ]/.test(text[at + name.length] ?? '') ? 1 : 0)
  return (
    <>
      {text.slice(0, at)}
      <span class="kept">{text.slice(at, end)}</span>
      {text.slice(end)}
    </>
  )
}

type Answer = NonNullable<NonNullable<typeof status.value>['summary']['answer']>

/** The monitor's answer, or the page's own while the monitor is silent; undefined before the first one. */
export function shownAnswer(): Pick<Answer, 'tone' | 'text'> | undefined {
  if (!isSilent.value) return status.value?.summary.answer
  const text =
    connection.value.lastAnswerMs === null
      ? strings.neverAnswered
      : strings.silentSince(zone.value.momentText(shownMs.value, calmMs.value))
  return { tone: 'bad', text }
}
