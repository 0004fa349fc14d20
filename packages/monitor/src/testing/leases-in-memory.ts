import { type Clock, LEASE_MS, type Lease, type LeaseName, type Leases } from '@svc/core/service'

/** A store's leases by the clock of a test, for any number of monitors. */
export interface LeaseTable {
  /** The leases as seen by one monitor. */
  asHolder(holder: string): Leases
  /** Cuts all monitors off from the store, or reconnects them. */
  cut(isCut: boolean): void
  /** Delays each answer by this much. */
  delay(milliseconds: number): void
  /** The holder of each lease. */
  holders(): Readonly<Record<string, string>>
  /** Number of requests so far. */
  questionCount(): number
}

export function leasesInMemory(clock: Clock): LeaseTable {
  const rows = new Map<LeaseName, { holder: string; term: number; untilMs: number }>()
  let isCut = false
  let delayMs = 0
  let questions = 0

  const answered = async <Answer>(answer: () => Answer): Promise<Answer> => {
    questions += 1
    if (isCut) throw Object.assign(new Error('no answer'), { code: 'unreachable' })
    const made = answer()
    if (delayMs > 0)
      await new Promise<void>((resolve) => void clock.schedule(delayMs, () => resolve()))
    return made
  }
  const leaseOf = (name: LeaseName, asking: string): readonly Lease[] => {
    const row = rows.get(name)
    if (row === undefined) return []
    const remainingMs = Math.max(0, row.untilMs - clock.monotonicMs())
    const { holder, term } = row
    return [{ name, holder, term, remainingMs, isOurs: holder === asking && remainingMs > 0 }]
  }

  return {
    asHolder: (holder) => ({
      take: (names) =>
        answered(() =>
          names.flatMap((name) => {
            const row = rows.get(name)
            const isFree = row === undefined || row.untilMs <= clock.monotonicMs()
            if (isFree || row.holder === holder) {
              const isOther = row !== undefined && row.holder !== holder
              const term = (row?.term ?? 1) + (isOther ? 1 : 0)
              rows.set(name, { holder, term, untilMs: clock.monotonicMs() + LEASE_MS })
            }
            return leaseOf(name, holder)
          }),
        ),
      standing: (names) => answered(() => names.flatMap((name) => leaseOf(name, holder))),
      release: (names) =>
        answered(() => {
          for (const name of names) {
            const row = rows.get(name)
            if (row?.holder === holder) row.untilMs = clock.monotonicMs()
          }
        }),
      close: () => Promise.resolve(),
    }),
    cut(next) {
      isCut = next
    },
    delay(milliseconds) {
      delayMs = milliseconds
    },
    holders: () =>
      Object.fromEntries(
        [...rows].flatMap(([name, { holder, untilMs }]) =>
          untilMs > clock.monotonicMs() ? [[name, holder]] : [],
        ),
      ),
    questionCount: () => questions,
  }
}
