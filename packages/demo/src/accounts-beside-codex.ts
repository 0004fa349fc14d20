import { type ExampleRow, other } from './example-row.ts'
import {
  days,
  extraUsage,
  fiveHour,
  hours,
  type MovingWindow,
  month,
  rollingDay,
  scoped,
  week,
} from './moving-windows.ts'

const FABLE = { label: 'Fable', models: ['Fable'] } as const
const GEMINI = { label: 'Gemini Models', models: ['Gemini 3.1 Pro', 'Gemini 3 Flash'] } as const
const THIRD_PARTY = { label: 'Claude and GPT models' } as const

/** A window whose usage is missing in the vendor's answer. */
const unusedWeek: MovingWindow = {
  ...week([100, 100], days(6, 1)),
  note: 'derived',
}

/** The accounts of every other provider in the sample pool, by the rules of `SAMPLE_POOL`. */
export const ACCOUNTS_BESIDE_CODEX: readonly ExampleRow[] = [
  other('claude', 'claire.dubois@example.com', 'max_20x', '57655107b77093c1 b3d2d097b6180c61', {
    sampling: 'budgeted_and_headers',
    windows: [
      fiveHour([100, 30], hours(5, 0.1)),
      week([88, 34], days(6, 0.5)),
      scoped('premium', week([74, 22], days(6, 1)), FABLE),
      extraUsage([92, 61], days(28, 2)),
    ],
    requestsPerSlot: 6,
  }),
  other('claude', 'studio@example.org', 'max_5x', '27de70a06f1bd6d7 5b1c335ad3bdec6b', {
    windows: [
      fiveHour([90, 55], [290, 100]),
      week([64, 42], hours(110, 30)),
      scoped('premium', week([0, 0], hours(110, 30)), FABLE),
    ],
    requestsPerSlot: 2,
  }),
  other('claude', 'julia@example.com', 'pro', '00d817b628f4a219 0a20782d2d12889d', {
    condition: 'used_up',
    windows: [fiveHour([0, 0], [190, 25]), week([58, 46], hours(96, 40))],
    requestsPerSlot: 3,
  }),
  other('claude', 'all-seats@example.org', 'team', 'b1da18cc36170418 676b9b15aaa9b367', {
    sampling: 'discovery_and_headers',
    windows: [fiveHour([96, 48], hours(5, 0.1)), week([82, 50], hours(140, 12))],
    requestsPerSlot: 2,
  }),
  other('claude', 'night-queue@example.com', 'max_5x', '2166dc0ff45c84c8 962f27caf1934d1b', {
    condition: 'resting',
    sampling: 'budgeted_and_headers',
    windows: [fiveHour([84, 52], [280, 90]), week([70, 48], hours(120, 36))],
    requestsPerSlot: 5,
    failedRatio: 0.1,
  }),
  other('claude', 'retired-login@example.org', 'pro', 'ba65dd33efb2a39b 8ed2327c41164c54', {
    condition: 'login_refused',
    sampling: 'budgeted_refused',
    windows: [fiveHour([76, 60], [295, 255]), week([49, 41], hours(92, 44))],
    requestsPerSlot: 1,
  }),
  other('xai', 'newsroom@example.org', 'SuperGrok Heavy', '30ab4dbd1579a1ed e94c7a907254dbc4', {
    windows: [week([94, 38], days(7, 0.5))],
    requestsPerSlot: 3,
  }),
  other('xai', 'lin@example.com', 'SuperGrok', 'c59079ddc0dc0666 8ba2df4a6b79bbfa', {
    windows: [
      month([83, 47], days(26, 4)),
      scoped('extra_usage', month([97, 80], days(26, 4)), {
        label: 'On demand',
      }),
    ],
    requestsPerSlot: 1,
  }),
  other('xai', 'idle-seat@example.org', 'X Premium Plus', '8a108a91dafcfc55 4f4e74b3435824b2', {
    windows: [unusedWeek],
  }),
  other('xai', 'ticker@example.com', 'X Basic', 'ea887572e3d014c8 8ba8f52b538e20d1', {
    // Its requests deny the zero that the vendor left out.
    windows: [unusedWeek],
    requestsPerSlot: 1,
  }),
  other('xai', 'hobby@example.com', 'free', '2f0379aabe05c439 70262cbecd1bce81', {
    sampling: 'headers',
    windows: [rollingDay([88, 36], hours(24, 0.5))],
    requestsPerSlot: 0.8,
  }),
  other('xai', 'render@example.org', 'SuperGrok', '8edf6732bb80e6f4 a10515bba1e42988', {
    condition: 'plan_used_up',
    windows: [week([0, 0], hours(78, 9))],
    requestsPerSlot: 2,
  }),
  other('kimi', '1787300011223', null, '111d62b45bcb6250 c23b91ed46a080e3', {
    title: 'Kimi of the lab',
    windows: [
      fiveHour([100, 44], hours(5, 0.5)),
      month([79, 41], days(24, 3)),
      scoped('code', month([79, 41], days(24, 3)), { label: 'Code' }),
    ],
    requestsPerSlot: 2,
  }),
  other('kimi', '1787300420671', 'intermediate', '0a12b9e9595a840b 95b71bea3fcc1261', {
    // Nobody has noted a name for it.
    title: 'kimi-1787300420671.json',
    windows: [
      fiveHour([93, 62], [285, 60]),
      {
        ...week([59, 33], hours(130, 40)),
        note: 'sources_disagree',
      },
    ],
    requestsPerSlot: 1,
  }),
  other('kimi', '1787911205118', null, 'c744ef74f7ab8b5d c5caf6f0985565ec', {
    title: 'Kimi for translations',
    condition: 'plan_used_up',
    windows: [
      fiveHour([100, 100], hours(5, 5)),
      month([0, 0], days(15, 2)),
      scoped('code', month([0, 0], days(15, 2)), { label: 'Code' }),
    ],
    requestsPerSlot: 2,
  }),
  other('kimi-ai', '1788020400932', 'advanced', '7c4cb8c49f675faf c12532cb3c2e7dd4', {
    title: 'Kimi of the Singapore office',
    windows: [fiveHour([98, 70], [280, 50]), week([86, 51], hours(150, 24))],
    requestsPerSlot: 1,
  }),
  other('antigravity', 'ines@example.com', 'g1-pro', 'b2579fcf0c782719 d79838dc3a74aebb', {
    windows: [
      scoped('gemini', fiveHour([100, 52], hours(5, 0.5)), GEMINI),
      scoped('gemini', week([95, 58], days(6, 1)), GEMINI),
      scoped('3p', fiveHour([72, 31], [290, 60]), THIRD_PARTY),
      scoped('3p', week([62, 24], days(6, 1)), THIRD_PARTY),
    ],
    requestsPerSlot: 2,
  }),
  other('antigravity', 'maps@example.org', 'g1-ultra', '6e18fe18bbd9ade1 ea32707a27eafb9e', {
    // One pool of models is used up; the others go on.
    condition: 'degraded',
    windows: [
      scoped('gemini', fiveHour([100, 100], hours(5, 5)), GEMINI),
      scoped('gemini', week([0, 0], hours(100, 20)), GEMINI),
      scoped('3p', week([77, 45], hours(100, 20)), THIRD_PARTY),
    ],
    requestsPerSlot: 3,
    failedRatio: 0.08,
  }),
  other('antigravity', 'field-test@example.com', 'free', 'd05e7aefc1ac91a8 072bb9bfe54f3a7f', {
    sampling: 'reports_none',
    requestsPerSlot: 0.8,
  }),
  other('kiro', 'cloud-builder@example.org', null, 'c9fe32d48a6210da a30dfa0a7adb8e15', {
    sampling: 'never',
    requestsPerSlot: 1,
  }),
]
