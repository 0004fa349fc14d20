import type { ProxyObservation } from '@svc/core'
import {
  type PoolMemoryUpdate,
  type ProxyStanding,
  type RememberedPool,
  textOfAccount,
} from '@svc/core/service'

/** What the store knows of the pool, so that only what has changed is written. */
export interface PoolMemory {
  /** Begins with what an earlier process has kept. */
  seed(remembered: RememberedPool): void
  /** What is to be kept of this observation; null before a list was read. */
  updateOf(observation: ProxyObservation, standing: ProxyStanding): PoolMemoryUpdate | null
  /** An update was kept. */
  kept(update: PoolMemoryUpdate): void
}

export function createPoolMemory(): PoolMemory {
  const keptTexts = new Map<string, string>()
  return {
    seed({ accounts }) {
      for (const remembered of accounts)
        keptTexts.set(remembered.account.selector.authName, textOfAccount(remembered))
    },
    updateOf({ sources: { accounts: reading }, evidenceByAuthName }, { source, gatewayUp }) {
      const list = reading.lastGood
      // What an earlier process has left is kept already.
      if (list === null || reading.outcome.kind === 'pending') return null
      const texts = list.value.accounts.map((account) => {
        const { authName } = account.selector
        return [
          authName,
          textOfAccount({ account, evidence: evidenceByAuthName.get(authName) ?? null }),
        ] as const
      })
      const listed = new Set(texts.map(([authName]) => authName))
      const gone = [...keptTexts.keys()].filter((authName) => !listed.has(authName))
      return {
        listedAt: list.at,
        source,
        gatewayUp,
        texts: [
          ...texts.filter(([authName, text]) => keptTexts.get(authName) !== text),
          ...gone.map((authName) => [authName, null] as const),
        ],
      }
    },
    kept({ texts }) {
      for (const [authName, text] of texts) {
        if (text === null) keptTexts.delete(authName)
        else keptTexts.set(authName, text)
      }
    },
  }
}
