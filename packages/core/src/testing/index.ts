export {
  aLiveObservation,
  anAbsentWindow,
  anAccount,
  aQuotaSample,
  aRolledOverWindow,
  aServiceObservation,
  aSnapshot,
  aWindow,
  evidenceOf,
  fixedClock,
  fromNow,
  NOW,
  type ObservationChanges,
  silentLog,
  type VirtualClock,
  virtualClock,
} from './builders.ts'
export { type Comparison, timesAsLong } from './times-as-long.ts'
