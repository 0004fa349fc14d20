import { workerData } from 'node:worker_threads'
import { type LeasesOptions, openLeases } from '@svc/history'
import { serveStarter } from '../threads/thread.ts'

serveStarter(openLeases(workerData as LeasesOptions))
