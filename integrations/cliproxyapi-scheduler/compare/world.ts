import { capacityWeightOf } from '@svc/core'
import { randomFrom } from '@svc/core/testing'
import { createMonitor, type VendorAccount } from './monitor.ts'
import type { Strategy } from './strategies.ts'
import type { World } from './worlds.ts'

/** Counts of one run. Lost is quota in Plus units of the window that was left at a reset. */
export interface Outcome {
  served: number
  unserved: number
  refused: number
  moved: number
  lostFiveHour: number
  lostWeek: number
}

/** The monitor reads its list, and so makes a ranking; a plugin sees it up to two seconds later. */
const LIST_EVERY_MS = 15_000
const PLUGIN_LAG_MS = 2_000
/** A client that was not served comes back. */
const RETRY_MS = 15_000

/** Sends a world's requests through a proxy that chooses by this strategy. */
export async function runWorld(world: World, seed: number, strategy: Strategy): Promise<Outcome> {
  const random = randomFrom(seed)
  const outcome: Outcome = {
    served: 0,
    unserved: 0,
    refused: 0,
    moved: 0,
    lostFiveHour: 0,
    lostWeek: 0,
  }
  const accounts = world.plans.map((plan, number): VendorAccount => {
    const { used, endsIn } = world.long(number, random)
    const begun =
      random() < 0.7
        ? { usedPercent: 80 * random(), endsMs: 1000 * world.shortSeconds * random() }
        : { usedPercent: 0, endsMs: null }
    return {
      name: `codex-${number.toString(16).padStart(8, '0')}-user${number}@example.com-${plan}.json`,
      plan,
      weight: capacityWeightOf(plan as 'plus'),
      windows: [
        { id: '5h', seconds: world.shortSeconds, share: 1, ...begun },
        {
          id: 'week',
          seconds: world.longSeconds,
          share: 1 / world.longShare,
          usedPercent: used,
          endsMs: endsIn * 1000,
        },
      ],
      lastSuccessMs: null,
      cooldownUntilMs: 0,
      cooldownForgotten: false,
    }
  })
  const settle = (nowMs: number) => {
    for (const account of accounts)
      for (const window of account.windows)
        if (window.endsMs !== null && window.endsMs <= nowMs) {
          const lost = ((100 - window.usedPercent) / 100) * account.weight
          outcome[window.id === '5h' ? 'lostFiveHour' : 'lostWeek'] += lost
          Object.assign(window, { usedPercent: 0, endsMs: null })
        }
  }
  const monitor = createMonitor(accounts, random)
  const sessions = Array.from({ length: world.sessions }, (_, index) => ({
    number: index,
    // Their own, so that they want the same whatever they are given.
    random: randomFrom(1_000 * (seed + 1) + index),
    left: 1 + Math.floor(random() * world.sessionRequests),
    last: '',
    nextMs: random() * 60_000,
  }))
  let sessionCount = world.sessions
  const thinkMs = (3_600_000 * world.sessions) / world.requestsPerHour
  let listMs = 0
  let pending: { readonly atMs: number; readonly body: object } | null = null

  for (;;) {
    const session = sessions.reduce((first, one) => (one.nextMs < first.nextMs ? one : first))
    const nowMs = session.nextMs
    if (nowMs >= world.hours * 3_600_000) break
    while (listMs <= nowMs) {
      if (pending !== null) strategy.rank(pending.body, pending.atMs)
      settle(listMs)
      pending = { atMs: listMs + PLUGIN_LAG_MS, body: monitor.rankingAt(listMs) }
      listMs += LIST_EVERY_MS
    }
    if (pending !== null && pending.atMs <= nowMs) {
      strategy.rank(pending.body, nowMs)
      pending = null
    }
    settle(nowMs)
    const tried = new Set<string>()
    let served = false
    while (!served) {
      const candidates = accounts.filter(
        ({ name, cooldownUntilMs }) => cooldownUntilMs <= nowMs && !tried.has(name),
      )
      if (candidates.length === 0) break
      const name = await strategy.pick(
        candidates.map((account) => account.name),
        `session-${session.number}`,
        nowMs,
      )
      const account = candidates.find((one) => one.name === name)
      if (account === undefined) throw new Error(`${name} is no candidate`)
      tried.add(name)
      const exhausted = account.windows.filter(({ usedPercent }) => usedPercent >= 100)
      if (exhausted.length > 0) {
        outcome.refused += 1
        const untilMs = Math.max(...exhausted.map(({ endsMs }) => endsMs ?? nowMs))
        account.cooldownUntilMs = account.cooldownForgotten ? untilMs : 0
        account.cooldownForgotten = !account.cooldownForgotten
        monitor.see(account, nowMs)
        strategy.refused(name, nowMs)
        continue
      }
      const percent =
        (Math.min(5, -Math.log(1 - session.random())) * world.costPercent) / account.weight
      for (const window of account.windows) {
        window.usedPercent = Math.min(100, window.usedPercent + percent * window.share)
        window.endsMs ??= nowMs + window.seconds * 1000
      }
      account.lastSuccessMs = nowMs
      account.cooldownForgotten = false
      monitor.see(account, nowMs)
      if (session.last !== '' && session.last !== name) outcome.moved += 1
      session.last = name
      served = true
    }
    outcome[served ? 'served' : 'unserved'] += 1
    session.nextMs = nowMs + (served ? -Math.log(1 - session.random()) * thinkMs : RETRY_MS)
    session.left -= 1
    if (session.left <= 0) {
      sessionCount += 1
      Object.assign(session, {
        number: sessionCount,
        last: '',
        left: 1 + Math.floor(session.random() * 2 * world.sessionRequests),
      })
    }
  }
  return outcome
}
