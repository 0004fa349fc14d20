import { health, status } from '../state/live-data.ts'
import { isNarrow } from '../state/narrow.ts'
import { ComesBack } from './comes-back.tsx'
import { LazySetUp } from './lazy-set-up.ts'
import { NeedsYou } from './needs-you.tsx'
import { Window, WindowCourse } from './overview-window.tsx'
import { ThenUse, UseNext } from './use-next.tsx'

/** How much is left, when more comes, which account next, and what is wrong. */
export function Overview() {
  const now = status.value
  if (now === null || !now.available) return <LazySetUp title="" />
  // One column has no place beside the numbers: what is wrong and which account is next come first, what is not comes after.
  const isTroubleFirst = isNarrow.value && (health.value?.actionCount ?? 0) > 0
  return (
    <>
      {isTroubleFirst && <NeedsYou isBrief />}
      {isNarrow.value && <UseNext isBrief />}
      <FirstRound />
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

/** How far the first reading of all accounts has come, while much is unknown. */
function FirstRound() {
  const round = status.value?.summary.firstRound
  if (round == null) return null
  const { accountsRead, accountsToRead, text } = round
  return (
    <p class="first-round">
      <progress value={accountsRead} max={accountsToRead} aria-hidden="true" />
      {text}
    </p>
  )
}
