import dns from 'node:dns'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import workerThreads, { BroadcastChannel } from 'node:worker_threads'
import { servePipelineThread } from '@svc/monitor/pipeline'
import { acceleratedClock, type ClockPace } from '../test-instant.ts'
import { blockFor, FAULTS, type ServiceFault } from './built-program.ts'

/**
 * Pipeline thread of `paced-service.entry.ts`, on the same clock and with the faults of `built-program.ts`. While the file named by `FAKE_DNS_DOWN`
 * exists, no host name can be resolved; otherwise `upstream.invalid` is this machine.
 */
pretendDns(process.env.FAKE_DNS_DOWN)
const workers = runningWorkers()
const faults = new BroadcastChannel(FAULTS)
faults.onmessage = ({ data }) => bring(data as ServiceFault)
faults.unref()
servePipelineThread((pace) => acceleratedClock(pace as ClockPace))

function bring(fault: ServiceFault): void {
  if (fault === 'end_workers') for (const worker of workers) void worker.terminate()
  // In a thread this ends the thread alone.
  if (fault === 'end') process.exit(1)
  if (fault === 'block') blockFor(3_000)
  if (fault === 'close_port') workerThreads.parentPort?.close()
  if (fault === 'hang') for (;;);
}

/** Running worker threads that this thread has started. */
function runningWorkers(): ReadonlySet<workerThreads.Worker> {
  const running = new Set<workerThreads.Worker>()
  const { Worker } = workerThreads
  workerThreads.Worker = class extends Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args)
      running.add(this)
      this.once('exit', () => running.delete(this))
    }
  }
  syncBuiltinESMExports()
  return running
}

/** Replaces the function that Node's sockets look names up with, because a test cannot own a real name server. */
function pretendDns(downFile: string | undefined): void {
  if (downFile === undefined) return
  const lookup = dns.lookup as (...args: unknown[]) => void
  const pretended = (
    host: string,
    options: { readonly all?: boolean },
    done: (...answer: unknown[]) => void,
  ) => {
    if (existsSync(downFile)) {
      process.nextTick(
        done,
        Object.assign(new Error('getaddrinfo ENOTFOUND'), {
          code: 'ENOTFOUND',
          syscall: 'getaddrinfo',
        }),
      )
    } else if (host !== 'upstream.invalid') lookup(host, options, done)
    else if (options.all === true)
      process.nextTick(done, null, [{ address: '127.0.0.1', family: 4 }])
    else process.nextTick(done, null, '127.0.0.1', 4)
  }
  dns.lookup = pretended as unknown as typeof dns.lookup
}
