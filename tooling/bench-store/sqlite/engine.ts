import type { UsageRangeId } from '@svc/core/usage'
import type { Engine } from '../engine.ts'
import { worldOf } from '../world.ts'
import { measureForgetting } from './forgetting.ts'
import { measureService, measureStoreStart } from './service.ts'
import { bareWriter, emptyFile, storeIn } from './store.ts'

const isRecent = (range: UsageRangeId) => range === '1h' || range === '6h'

export const sqliteEngine: Engine = {
  goals: {
    ingest: {
      id: 'P8',
      ratioMin: 0.6,
      thousandsMin: 25,
      batch: 500,
      everyMs: 20,
      countsReading: true,
    },
    charts: {
      id: 'P6',
      p95MsMax: 50,
      program: 'sqlite3',
      kinds: [
        {
          id: 'P6',
          one: 'rollup chart',
          all: 'rollup charts',
          ratioMax: 1.5,
          has: (range) => !isRecent(range),
        },
        {
          id: 'P7',
          one: '1h or 6h chart',
          all: '1h and 6h charts',
          ratioMax: 1.3,
          has: isRecent,
        },
      ],
    },
    size: { id: 'P10', what: 'bytes an event', bytesMax: 120 },
    sustained: { eventsPerSecond: 5_000, readMsMax: 100, bytesMax: 120 },
  },
  rows: '1000000,10000000',
  parts: { start: measureStoreStart, forgetting: measureForgetting, service: measureService },
  emptyStore: async () => emptyFile(),
  bareWriter: async () => bareWriter(),
  world: async (rows) => storeIn(await worldOf(rows)),
  close: async () => undefined,
}
