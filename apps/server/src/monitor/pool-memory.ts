import type { ProxyObservation } from '@svc/core'
import {
  type PoolMemoryUpdate,
  type ProxyStanding,
  type RememberedPool,
  textOfAccount,
} from '@svc/core/pool'
import { fileKeyOf } from '@svc/core/service'

/** Remembers the stored state of the pool, so that only changes are written. */
export interface PoolMemory {
  /** Begins with the state stored by an earlier process. */
  seed(remembered: RememberedPool): void
  /** The update to store after this observation; null before a list was read. */
  updateOf(observation: ProxyObservation, standing: ProxyStanding): PoolMemoryUpdate | null
  /** Notes that an update was stored. */
  kept(update: PoolMemoryUpdate): void
}

export function createPoolMemory(): PoolMemory {
  const keptTexts = new Map<string, string>()
  return {
    seed({ accounts }) {
      for (const remembered of accounts)
        keptTexts.set(fileKeyOf(remembered.account), textOfAccount(remembered))
    },
    updateOf({ sources: { accounts: reading }, evidenceByAuthName }, { source, gatewayUp }) {
      const list = reading.lastGood
      // Until a list is read, the pool is still the one stored by an earlier process.
      if (list === null || reading.outcome.kind === 'pending') return null
      const texts = list.value.accounts.map((account) => {
        const fileKey = fileKeyOf(account)
        const evidence = evidenceByAuthName.get(fileKey) ?? null
        return [fileKey, textOfAccount({ account, evidence })] as const
      })
      const listed = new Set(texts.map(([fileKey]) => fileKey))
      const gone = [...keptTexts.keys()].filter((fileKey) => !listed.has(fileKey))
      return {
        listedAt: list.at,
        source,
        gatewayUp,
        texts: [
          ...texts.filter(([fileKey, text]) => keptTexts.get(fileKey) !== text),
          ...gone.map((fileKey) => [fileKey, null] as const),
        ],
      }
    },
    kept({ texts }) {
      for (const [fileKey, text] of texts) {
        if (text === null) keptTexts.delete(fileKey)
        else keptTexts.set(fileKey, text)
      }
    },
  }
}
