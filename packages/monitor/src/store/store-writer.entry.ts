import { workerData } from 'node:worker_threads'
import { serveStarter } from '../threads/thread.ts'
import type { WriterSetup } from './store-threads.ts'
import { createWriterThread } from './writer-thread.ts'

serveStarter(createWriterThread(workerData as WriterSetup))
