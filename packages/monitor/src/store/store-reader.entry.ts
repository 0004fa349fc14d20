import { workerData } from 'node:worker_threads'
import { serveStarter } from '../threads/thread.ts'
import { createReaderThread } from './reader-thread.ts'
import type { ReaderSetup } from './store-threads.ts'

serveStarter(createReaderThread(workerData as ReaderSetup))
