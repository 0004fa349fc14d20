import { ToneIcon } from '../parts/icon.tsx'
import { shown } from '../parts/name.tsx'
import { calmMs, connection, health, isSilent, status, zone } from '../state/live-data.ts'
import { isNarrow } from '../state/narrow.ts'
import { strings } from '../words/strings.ts'
import { ComesBack } from './comes-back.tsx'
import { LazySetUp } from './lazy-parts.ts'
import { NeedsYou } from './needs-you.tsx'
import { Window, WindowCourse } from './overview-window.tsx'
import { ThenUse, UseNext } from './use-next.tsx'

/** Quota left and its returns, the next account to use, and the actions. */
export function Overview() {
  const now = status.value
  if (now === null || !now.available) return <LazySetUp title="" />
  // In one column, actions and the next account precede the numbers; without actions, their section follows.
  const isTroubleFirst = isNarrow.value && (health.value?.actionCount ?? 0) > 0
  return (
    <>
      <AnswerLine />
      {isTroubleFirst && <NeedsYou isBrief />}
      {isNarrow.value && <UseNext isBrief />}
      <div class="hero">
        {now.tabs.pool.windows.map(({ id }) => (
          <Window key={id} id={id} />
        ))}
      </div>
      <div class="three">
        {isNarrow.value ? <ThenUse /> : <UseNext />}
        {!isTroubleFirst && <NeedsYou />}
        <ComesBack />
      </div>
      {isNarrow.value && now.tabs.pool.windows.map(({ id }) => <WindowCourse key={id} id={id} />)}
    </>
  )
}

type Answer = NonNullable<NonNullable<typeof status.value>['summary']['answer']>

/** Whether a big job may start now, and until when; how far the first reading of all accounts is, while too much is unknown to say. */
function AnswerLine() {
  const answer = answerNow()
  const round = status.value?.summary.firstRound
  if (answer === undefined) return null
  return (
    <div class={`answer tone-${answer.tone}`}>
      <p>
        <ToneIcon tone={answer.tone} /> {shown(answer.text)}
      </p>
      {round != null && (
        <progress value={round.accountsRead} max={round.accountsToRead} aria-hidden="true" />
      )}
    </div>
  )
}

function answerNow(): Pick<Answer, 'tone' | 'text'> | undefined {
  const { lastAnswerMs } = connection.value
  if (!isSilent.value || lastAnswerMs === null) return status.value?.summary.answer
  const since = zone.value.momentText(lastAnswerMs, calmMs.value)
  return { tone: 'bad', text: strings.silentSince(since) }
}
