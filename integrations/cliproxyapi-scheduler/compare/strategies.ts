import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A way to choose among candidates, in the order of their names. */
export interface Strategy {
  /** A ranking of the monitor arrives. */
  rank(body: object, nowMs: number): void
  pick(names: readonly string[], session: string, nowMs: number): Promise<string>
  refused(name: string, nowMs: number): void
  end(): void
}

const plain = { rank: () => undefined, refused: () => undefined, end: () => undefined }

/** Time for which the proxy's session affinity holds. */
const AFFINITY_MS = 60 * 60_000

/** The proxy's default. */
export function roundRobin(): Strategy {
  let turn = 0
  return {
    ...plain,
    async pick(names) {
      turn += 1
      return names[turn % names.length] as string
    },
  }
}

/** The proxy's other strategy: the first account for as long as it answers. */
export function fillFirst(): Strategy {
  return { ...plain, pick: async ([first]) => first as string }
}

/** The same, with a session's account kept. */
export function fillFirstWithAffinity(): Strategy {
  const held = new Map<string, { readonly name: string; readonly atMs: number }>()
  return {
    ...plain,
    async pick(names, session, nowMs) {
      const known = held.get(session)
      const isKept =
        known !== undefined && nowMs - known.atMs < AFFINITY_MS && names.includes(known.name)
      const name = isKept ? known.name : (names[0] as string)
      held.set(session, { name, atMs: nowMs })
      return name
    },
  }
}

/** The plugin's own code, on the clock of the world; where it leaves a pick to the proxy, round-robin. */
export function byPlugin(driver: string): Strategy {
  const child = spawn(driver, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (nowMs: number, message: object) =>
    child.stdin.write(`${JSON.stringify({ ms: Math.floor(nowMs), ...message })}\n`)
  const builtIn = roundRobin()
  return {
    rank: (ranking, nowMs) => void send(nowMs, { ranking }),
    async pick(names, session, nowMs) {
      const Candidates = names.map((ID) => ({ ID, Provider: 'codex', Status: 'active' }))
      const Options = { Headers: { Session_id: [session] }, Metadata: {} }
      send(nowMs, { pick: { Providers: ['codex'], Options, Candidates } })
      const line = await lines.next()
      const { result } = JSON.parse(String(line.value))
      return result.Handled ? result.AuthID : builtIn.pick(names, session, nowMs)
    },
    refused: (AuthID, nowMs) =>
      void send(nowMs, { usage: { AuthID, Failed: true, Failure: { StatusCode: 429 } } }),
    end: () => void child.stdin.end(),
  }
}
