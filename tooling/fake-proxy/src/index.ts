export {
  aFakeAccount,
  type FakeAccount,
  type FakeAccountShape,
  fakeAuthIndex,
} from './fake-account.ts'
export {
  aFakeQuota,
  type FakeQuota,
  type FakeQuotaForm,
  fakeQuotaForms,
} from './fake-quota.ts'
export { answerResp } from './fake-resp.ts'
export {
  type FakeGeneration,
  type FakeRequest,
  type FakeSettings,
  type FakeStats,
  type FakeUpstreamOptions,
  fakeGenerations,
} from './fake-state.ts'
export { createFakeUpstream, type FakeUpstream, fetchOf } from './fake-upstream.ts'
export type { FakeUsage, FakeUsageRecord, FakeUsageShape } from './fake-usage.ts'
export type { VendorCall } from './fake-vendor.ts'
export { type FakeFault, type FakeRoute, fakeFaultKinds, fakeRoutes } from './faults.ts'
export type { FakeManagement } from './management-gate.ts'
export { livePool, mixedPool, samplePool } from './pools.ts'
export { readRecording } from './recording.ts'
export {
  aFakeWindow,
  type FakeWindow,
  type FakeWindows,
  fakeWindows,
} from './vendors/fake-window.ts'
export {
  type VendorBehaviour,
  vendorBehaviours,
  vendorRefusals,
  vendorShapes,
} from './vendors/vendor.ts'
