export {
  aFakeAccount,
  type FakeAccount,
  type FakeAccountShape,
  fakeAuthIndex,
} from './fake-account.ts'
export {
  aFakeQuota,
  aFakeWindow,
  type FakeQuota,
  type FakeQuotaForm,
  type FakeWindow,
  fakeQuotaForms,
} from './fake-quota.ts'
export type { FakeSettings } from './fake-settings.ts'
export type { FakeUpstreamOptions } from './fake-state.ts'
export { createFakeUpstream, type FakeUpstream } from './fake-upstream.ts'
export type { FakeUsage, FakeUsageRecord, FakeUsageShape } from './fake-usage.ts'
export type { VendorCall } from './fake-vendor.ts'
export { type FakeFault, type FakeRoute, fakeFaultKinds, fakeRoutes } from './faults.ts'
export { fetchOf } from './fetch-of.ts'
export type { FakeManagement } from './management-gate.ts'
export { livePool, samplePool } from './pools.ts'
export { readRecording } from './recording.ts'
export type { FakeRequest, FakeStats } from './request-log.ts'
export { type VendorBehaviour, vendorBehaviours } from './vendor-behaviour.ts'
