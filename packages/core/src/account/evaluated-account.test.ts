import { expect, it } from 'vitest'
import { aWindow, fromNow } from '../testing/builders.ts'
import { blockedModelsOf } from './evaluated-account.ts'

it('models are blocked by their own used-up window until it resets', () => {
  const scopedWindows = [
    { ...aWindow('premium:week', 0, { resetsInSeconds: 60 }), label: 'Fable', models: ['Fable'] },
    aWindow('extra:codex_bengalfox:week', 0),
    aWindow('opus:week', 1),
  ]

  expect(blockedModelsOf({ scopedWindows })).toEqual([
    {
      scope: 'premium',
      label: 'Fable',
      models: ['Fable'],
      until: fromNow(60),
      reason: 'quota_exhausted_premium:week',
    },
    {
      scope: 'extra:codex_bengalfox',
      label: null,
      models: null,
      until: null,
      reason: 'quota_exhausted_extra:codex_bengalfox:week',
    },
  ])
})

it('spent extra usage blocks no model, because the plan goes on', () => {
  expect(blockedModelsOf({ scopedWindows: [aWindow('extra_usage:month', 0)] })).toEqual([])
})
