import { dropBody } from './answer-body.ts'
import { type CallLimits, withinDeadline } from './deadline.ts'
import type { UpstreamDeps } from './upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from './upstream-error.ts'

/** Asks the gateway for a sign of life, without any key. Every answer below 500 is one. Throws UpstreamError. */
export async function probeGateway(url: string, limits: CallLimits, { clock, fetch }: UpstreamDeps): Promise<{ readonly up: true }> {
  try {
    return await withinDeadline(clock, limits, async (signal) => {
      const response = await fetch(url, { redirect: 'manual', headers: { 'accept-encoding': 'identity' }, signal })
      dropBody(response)
      const { status: httpStatus } = response
      if (httpStatus >= 500) throw new UpstreamError('server_error', `the gateway answered ${httpStatus}`, { httpStatus })
      return { up: true } as const
    })
  } catch (error) {
    throw upstreamErrorOf(error)
  }
}
