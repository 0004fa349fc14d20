import type { FakeAccount } from './fake-account.ts'
import { createFakeApp } from './fake-app.ts'
import { aFakeQuota, type FakeQuotaForm, isQuotaForm } from './fake-quota.ts'
import { createFakeState, type FakeGeneration, type FakeUpstreamOptions } from './fake-state.ts'
import { forgetCounters, recordFailure, recordSuccess } from './fake-traffic.ts'
import type { ClientRequest, VendorBehaviour } from './vendors/vendor.ts'

const VERSIONS: Readonly<Record<FakeGeneration, string>> = {
  v6: 'v6.9.49',
  v7: 'v7.2.140',
  v8: 'v8.0.10',
  'v8-only': 'v8.1.0',
  home: 'v7.2.140',
}

/** Creates a simulated CLIProxyAPI v7 with a simulated vendor. It answers `app.request`, `fetchOf(fake)` and, on a socket, any server that takes a fetch handler. */
export function createFakeUpstream(options: FakeUpstreamOptions) {
  const state = createFakeState(options)
  const { accounts, faults, filesChanged, gate, note, now, settle, usage, vendorRules, write } =
    state
  const restart = () => {
    gate.forgetAll()
    usage.forget()
    settle()
    for (const account of accounts) {
      forgetCounters(account)
      account.createdAt = account.updatedAt = now()
    }
  }
  return {
    ...state,
    app: createFakeApp(state),
    /** Replaces the program by one of another generation, with its usual version and fields, and restarts it. */
    become(generation: FakeGeneration) {
      const isV8 = generation === 'v8' || generation === 'v8-only'
      Object.assign(state.settings, {
        generation,
        version: VERSIONS[generation],
        usage: generation === 'v6' ? 'legacy' : 'queue',
        quotaSignals: isV8,
        cooldowns: isV8,
        quotaFetch: isV8,
      })
      restart()
    },
    /** Restarts the proxy: counters, cooldowns and bans are gone, files and indexes stay. */
    restart,
    add(account: FakeAccount) {
      accounts.push(account)
      settle()
      filesChanged()
    },
    remove(account: FakeAccount) {
      accounts.splice(0, accounts.length, ...accounts.filter((other) => other !== account))
      filesChanged()
    },
    /** Renames the file, which also changes its index. Counters and status start again, because the proxy sees a new file. */
    rename(account: FakeAccount, fileName: string) {
      settle()
      account.fileName = fileName
      account.createdAt = account.updatedAt = account.modifiedAt = now()
      forgetCounters(account)
      filesChanged()
    },
    disable(account: FakeAccount) {
      account.disabled = true
      write(account)
    },
    enable(account: FakeAccount) {
      account.disabled = false
      write(account)
    },
    setStatus(
      account: FakeAccount,
      status: Partial<
        Pick<FakeAccount, 'status' | 'statusMessage' | 'unavailable' | 'nextRetryAt'>
      >,
    ) {
      Object.assign(account, status)
      account.updatedAt = now()
    },
    /**
     * Sends client requests now: first the successful ones, which use up quota, then the failing ones, which set the account's status.
     * `model` and `format` say how they are written, for vendors other than Codex.
     */
    traffic(
      account: FakeAccount,
      {
        success = 0,
        failed = 0,
        ...request
      }: ClientRequest & { readonly success?: number; readonly failed?: number },
    ) {
      settle()
      for (let sent = 0; sent < success; sent += 1) recordSuccess(account, now(), note, request)
      for (let sent = 0; sent < failed; sent += 1) recordFailure(account, now(), note, request)
      settle()
    },
    /** Sets the vendor's behaviour toward the account; the name of a quota form gives it this quota. */
    setVendor(account: FakeAccount, behaviour: VendorBehaviour | FakeQuotaForm) {
      settle()
      if (isQuotaForm(behaviour)) account.quota = aFakeQuota(behaviour)
      account.vendor = isQuotaForm(behaviour) ? 'quota' : behaviour
      settle()
    },
    /** Has a whole vendor refuse quota queries. */
    failVendor: vendorRules.fail,
    failNext: faults.failNext,
    setFault: faults.setFault,
  }
}

export type FakeUpstream = ReturnType<typeof createFakeUpstream>

/** A `fetch` that sends every request, to any host, to the fake. Honours `signal` (also while the body is read) and `redirect: 'error'`. */
export function fetchOf(fake: Pick<FakeUpstream, 'app'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const response = await untilAborted(request.signal, answerOf(fake, request))
    if (
      request.redirect === 'error' &&
      response.status >= 300 &&
      response.status < 400 &&
      response.headers.has('location')
    ) {
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    }
    return withAbortableBody(response, request.signal)
  }
}

async function answerOf(fake: Pick<FakeUpstream, 'app'>, request: Request): Promise<Response> {
  try {
    return await fake.app.fetch(request)
  } catch (error) {
    throw new TypeError('fetch failed', { cause: error })
  }
}

function withAbortableBody(response: Response, signal: AbortSignal): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await untilAborted(signal, reader.read())
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}

async function untilAborted<Value>(signal: AbortSignal, pending: Promise<Value>): Promise<Value> {
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([pending, aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
    pending.catch(() => undefined)
  }
}
