import { dropBody } from '../proxy/answer-body.ts'
import { type CallLimits, withinDeadline } from '../proxy/deadline.ts'
import type { UpstreamDeps } from '../proxy/upstream-client.ts'
import {
  UpstreamError,
  type UpstreamFailureCode,
  upstreamErrorOf,
} from '../proxy/upstream-error.ts'
import { livelyBackoffSecondsMax } from './management.ts'
import { createSourcePoll, type Source, type SourceListeners, sourceOf } from './source.ts'

/** Asks the gateway for a sign of life, without any key. Only a 2xx is one. Throws UpstreamError. */
export async function probeGateway(
  url: string,
  limits: CallLimits,
  { clock, fetch }: UpstreamDeps,
): Promise<{ readonly up: true }> {
  try {
    return await withinDeadline(clock, limits, async (signal) => {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { 'accept-encoding': 'identity' },
        signal,
      })
      dropBody(response)
      const { status: httpStatus } = response
      if (response.ok) return { up: true } as const
      throw new UpstreamError(failureCodeOf(httpStatus), `the gateway answered ${httpStatus}`, {
        httpStatus,
      })
    })
  } catch (error) {
    throw upstreamErrorOf(error)
  }
}

/** Without a key nothing can be refused: a 401 or 403 says that this is not the address of a health check. */
function failureCodeOf(httpStatus: number): UpstreamFailureCode {
  if (httpStatus >= 500) return 'server_error'
  return httpStatus >= 300 && httpStatus < 400 ? 'redirected' : 'unexpected_status'
}

export interface GatewaySource extends Source<{ readonly up: true }> {
  /** Calls `listener` when the gateway answers after it did not. */
  onReturn(listener: () => void): void
}

export interface GatewayPlan {
  readonly url: string
  readonly periodSeconds: number
  readonly timeoutSeconds: number
}

/** Whether the proxy is there at all. */
export function createGatewaySource(
  { url, periodSeconds, timeoutSeconds }: GatewayPlan,
  deps: SourceListeners & UpstreamDeps,
): GatewaySource {
  let wasDown = false
  let onReturn = () => {}
  const poll = createSourcePoll<{ readonly up: true }>(
    {
      id: 'gateway',
      endpoint: 'healthz',
      periodSeconds,
      backoffSecondsMax: livelyBackoffSecondsMax(periodSeconds),
      poll: (stop) => probeGateway(url, { stop, seconds: timeoutSeconds }, deps),
      heldForMs: () => 0,
      onSettled(settled) {
        if (settled.kind === 'ok' && wasDown) onReturn()
        wasDown = settled.kind !== 'ok'
      },
    },
    deps,
  )
  return {
    ...sourceOf('gateway', poll),
    start: poll.pollNow,
    onReturn(listener) {
      onReturn = listener
    },
  }
}
