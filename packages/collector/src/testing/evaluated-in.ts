import { defaultPolicy, evaluateAccount, percentOf } from '@svc/core'
import type { FakeAccount } from '@svc/fake-proxy'
import type { World } from './live-world.ts'

/** An account as the rules see it now. Throws if the proxy does not list it. */
export function evaluatedIn(world: World, file: FakeAccount) {
  const { sources, evidenceByAuthName } = world.latest()
  const account = sources.accounts.lastGood?.value.accounts.find(
    ({ selector }) => selector.authName === file.fileName,
  )
  if (account === undefined) throw new Error(`${file.fileName} is not listed`)
  const evidence = evidenceByAuthName.get(file.fileName) ?? null
  return evaluateAccount(account, evidence, defaultPolicy, world.clock.now())
}

/** Status and blocked reasons of an account. */
export function stateIn(world: World, file: FakeAccount): readonly string[] {
  const { status, blockedReasons } = evaluatedIn(world, file)
  return [status.kind, ...blockedReasons]
}

/** Percents left of all windows of an account; null if unknown. */
export function percentsIn(
  world: World,
  file: FakeAccount,
): Readonly<Record<string, number | null>> {
  const { windows, scopedWindows } = evaluatedIn(world, file)
  return Object.fromEntries(
    [...windows, ...scopedWindows].map((window) => [window.id, percentOf(window)]),
  )
}
