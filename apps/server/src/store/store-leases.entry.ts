import { workerData } from 'node:worker_threads'
import type { Leases } from '@svc/core/service'
import { type LeasesOptions, openLeases } from '@svc/history'
import { type NothingOffered, openChannel } from '../threads/channel.ts'
import { portOfStarter } from '../threads/thread.ts'

openChannel<NothingOffered, Leases>(portOfStarter(), openLeases(workerData as LeasesOptions))
