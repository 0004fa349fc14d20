import { isNarrow } from '../state/display-state.ts'
import { health, status } from '../state/live-data.ts'
import { files } from '../state/pool.ts'
import { allPools, countedWindows, isOfAll } from '../state/providers.ts'
import { LazyPools, LazySetUp } from './lazy-parts.ts'
import { OpenActions } from './open-actions.tsx'
import { Window, WindowChartPlace } from './overview-window.tsx'
import { FurtherRecommendations, Recommendation } from './recommendation.tsx'
import { UpcomingResets } from './upcoming-resets.tsx'

/** Quota left and its returns, the next account to use, and the actions. */
export function Overview() {
  const now = status.value
  if (now === null || !now.available || files.value.length === 0) return <LazySetUp title="" />
  // In one column, actions and the next account precede the numbers; without actions, their section follows.
  const isTroubleFirst = isNarrow.value && (health.value?.actionCount ?? 0) > 0
  return (
    <>
      {isOfAll.value && <LazyPools isBrief={false} />}
      {isTroubleFirst && <OpenActions isBrief />}
      {isNarrow.value && <Recommendation isBrief />}
      {!isOfAll.value && (
        <div class="hero">
          {countedWindows.value.map(({ id }) => (
            <Window key={id} id={id} />
          ))}
        </div>
      )}
      {allPools.value.length > 1 && !isOfAll.value && <LazyPools isBrief />}
      <div class="three">
        {isNarrow.value ? <FurtherRecommendations /> : <Recommendation />}
        {!isTroubleFirst && <OpenActions />}
        {!isOfAll.value && <UpcomingResets />}
      </div>
      {isNarrow.value &&
        countedWindows.value.map(({ id }) => <WindowChartPlace key={id} id={id} />)}
    </>
  )
}
