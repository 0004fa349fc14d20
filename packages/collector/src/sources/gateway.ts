import { livelyBackoffSecondsMax } from '../polling/polled-source.ts'
import { dropBody } from '../proxy/answer-body.ts'
import { type CallLimits, type RequestDeps, sendRequest } from '../proxy/request.ts'
import { UpstreamError, type UpstreamFailureCode } from '../proxy/upstream-error.ts'
import { createSourcePoll, type SourceListeners, sourceOf } from './source.ts'

/** Checks that the gateway is alive, without any key. Only a 2xx status counts. Throws UpstreamError. */
export function probeGateway(
  url: string,
  limits: CallLimits,
  deps: RequestDeps,
): Promise<{ readonly up: true }> {
  return sendRequest(
    {
      ...limits,
      url,
      redirect: 'manual',
      attemptsMax: 2,
      read(response) {
        dropBody(response)
        const { status: httpStatus } = response
        if (response.ok) return { up: true } as const
        throw new UpstreamError(failureCodeOf(httpStatus), `the gateway answered ${httpStatus}`, {
          httpStatus,
        })
      },
    },
    deps,
  )
}

/** Failure code for a status. No key was sent, so a 401 or 403 means that this address is not a health check. */
function failureCodeOf(httpStatus: number): UpstreamFailureCode {
  if (httpStatus >= 500) return 'server_error'
  return httpStatus >= 300 && httpStatus < 400 ? 'redirected' : 'unexpected_status'
}

export interface GatewayPlan {
  readonly url: string
  readonly periodSeconds: number
  readonly timeoutSeconds: number
}

/** Creates the source that shows whether the proxy is up. */
export function createGatewaySource(
  { url, periodSeconds, timeoutSeconds }: GatewayPlan,
  deps: SourceListeners & RequestDeps,
) {
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
    /** Calls `listener` when the gateway answers again after a failure. */
    onReturn(listener: () => void) {
      onReturn = listener
    },
  }
}

export type GatewaySource = ReturnType<typeof createGatewaySource>
