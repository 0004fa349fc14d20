import { ACCOUNTS_BESIDE_CODEX } from './accounts-beside-codex.ts'
import { codex, type ExampleRow } from './example-row.ts'
import { days, fiveHour, hours, month, scoped, week } from './moving-windows.ts'

const SPARK_SCOPE = 'extra:codex_bengalfox'

const martasWindows = [fiveHour([100, 24], hours(5, 0.1)), week([84, 40], days(6, 2))]

/**
 * The pool. Each row is a case that the page must be able to show, so its windows move within a band: the reset of a reclaim account is
 * always near, that of a used-up one always ahead. A reset is always further away than the sample is old.
 */
export const SAMPLE_POOL: readonly ExampleRow[] = [
  codex('ana.ruiz@example.com', 'pro', '11ac898f ee7b1827000f1448 4d7444d22bc687d2', {
    windows: [week([44, 28], hours(90, 30)), scoped(SPARK_SCOPE, week([100, 70], hours(160, 10)))],
    requestsPerSlot: 16,
    bankedInDays: [5, 22],
  }),
  codex('build-farm@example.org', 'prolite', 'c70f5ac4 91187035ff4e1cbf 65bf0c3573b5be23', {
    windows: [fiveHour([88, 64], [55, 25]), week([72, 52], hours(120, 60))],
    requestsPerSlot: 9,
  }),
  codex('ada@example.com', 'plus', '80fd1082 fdf6179a765e228a a1abdebdddc66344', {
    sampling: 'primary_and_headers',
    windows: [fiveHour([100, 8], hours(5, 0.1)), week([97, 22], days(7, 0.2))],
    requestsPerSlot: 22,
  }),
  codex('ahmad.noor@example.com', 'plus', 'e452cdd1 389e6cdd595d6379 f907e3d1faf64bbc', {
    title: 'أحمد.نور@example.com',
    windows: [fiveHour([92, 68], [55, 25]), week([30, 18], hours(80, 44))],
    requestsPerSlot: 5,
  }),
  codex('team-frontend@example.org', 'team', 'd817d01f c30818d8bf8eeb25 16cae2a4b5520854', {
    condition: 'degraded',
    windows: [fiveHour([70, 25], [240, 80]), week([55, 35], hours(110, 40))],
    requestsPerSlot: 18,
    failedRatio: 0.3,
  }),
  codex('night-shift@example.com', 'plus', '2d080501 17a6711fb378bf0a 1b2d618d2eb51559', {
    windows: [fiveHour([100, 100], hours(5, 5)), week([66, 60], hours(70, 20))],
  }),
  codex('qa-bot@example.org', 'plus', '040f4063 1c2f5f91e9643520 7c8423ce5088dc03', {
    condition: 'ready_unproven',
    windows: [fiveHour([60, 35], [260, 100]), week([48, 26], hours(130, 50))],
    requestsPerSlot: 6,
  }),
  codex('w.sato@example.com', 'team', '2110fc75 afd577ba16a9af39 68c35eda650cf4cf', {
    sampling: 'failing',
    windows: [fiveHour([78, 46], [280, 120]), week([64, 38], hours(100, 30))],
    requestsPerSlot: 4,
  }),
  codex('yuki.t@example.com', 'plus', 'cf7a6219 f942a9390e5f9418 988b507973b9b088', {
    // The 5h reset passes after each sample and before the next one: full, but unconfirmed.
    sampling: 'failing',
    windows: [fiveHour([18, 18], [10, 10]), week([46, 40], hours(60, 30))],
  }),
  codex('marta.k@example.com', 'plus', '86a11f19 32039084a32a8521 6085aaa92de850e9', {
    windows: martasWindows,
    requestsPerSlot: 11,
  }),
  codex('marta.k@example.com', 'plus', '86a11f19 ae62120f13c291ab 6085aaa92de850e9', {
    // The same account again, with the file of its login from before the upgrade.
    claimedPlan: 'free',
    windows: martasWindows,
    requestsPerSlot: 2,
  }),
  codex('zoe.lefevre@example.com', 'plus', 'c94bae24 cec5a0ca828250fb 6866e55cc20a96cc', {
    title: 'Zoé Lefèvre (Lyon)',
    condition: 'pending',
    sampling: 'never',
  }),
  codex('platform@example.org', 'enterprise', '1b8c0efb 5902ace4aa07eb08 e1bd3d041e9f8c69', {
    sampling: 'discovery_and_headers',
    windows: [
      fiveHour([100, 40], hours(5, 0.1)),
      week([90, 45], hours(150, 10)),
      scoped('code_review', week([80, 30], hours(140, 12))),
      scoped(SPARK_SCOPE, week([100, 55], hours(165, 20))),
    ],
    requestsPerSlot: 8,
  }),
  codex('trial-7@example.com', 'free', '06a8d21d faf67e13dffa9d38 4f970ea626ebd724', {
    sampling: 'discovery',
    windows: [month([96, 42], days(29, 3))],
    requestsPerSlot: 1,
  }),
  codex(
    'ci-runner-eu-west-1-spot-pool-with-a-label-nobody-should-ever-have-written@example.org',
    'prolite',
    '85fcebab 00c6f016b8634592 e8446acb96550324',
    {
      condition: 'used_up',
      windows: [fiveHour([0, 0], [170, 16]), week([62, 50], hours(110, 70))],
      requestsPerSlot: 20,
    },
  ),
  codex('nils@example.com', 'plus', '6dc82ad6 1bce106aca50a65e c93d137018540990', {
    condition: 'used_up',
    windows: [fiveHour([100, 100], hours(5, 5)), week([0, 0], hours(62, 7))],
    requestsPerSlot: 12,
  }),
  codex('ops-shared@example.org', 'plus', '57260775 910faa9feae887e7 9d4174130d4bb272', {
    condition: 'auth_invalid',
    sampling: 'refused',
    windows: [fiveHour([70, 58], [295, 255]), week([52, 44], hours(90, 40))],
    requestsPerSlot: 7,
  }),
  codex('former-contractor@example.com', 'plus', '012eb35f 212a62d2e191cb14 39d995cf2b41c27b', {
    condition: 'deactivated',
    sampling: 'never',
  }),
  codex('imported-login@example.org', null, '6353b61d 0e6cd34f89249b16 85f4711372f2b391', {
    condition: 'unavailable',
    sampling: 'never',
  }),
  codex('finance@example.org', 'business', 'f8002c7c a6b17de2bcf90e74 66c7e354d8526dac', {
    condition: 'spend_reached',
    windows: [week([58, 31], days(5, 1))],
  }),
  codex('lab@example.org', 'edu', '51dfac57 f4cc216841b6af21 3244d4419b8bc399', {
    condition: 'retry_after',
    sampling: 'discovery',
    windows: [week([75, 40], days(6, 1))],
    requestsPerSlot: 5,
  }),
  codex('commuter@example.com', 'go', 'b458e0b8 98f671ec8d2206a1 11a71f875359aa1b', {
    condition: 'cooldown',
    sampling: 'discovery',
    windows: [week([34, 12], days(4, 1)), month([70, 35], days(24, 4))],
    requestsPerSlot: 3,
  }),
  codex('old-laptop@example.com', 'plus', '2b27434d c1257a0a3ec305de c3aeb2b8278af147', {
    condition: 'disabled',
    sampling: 'disabled_probe',
    windows: [fiveHour([100, 100], hours(5, 5)), week([86, 80], days(5, 2))],
    isPaidBriefly: true,
  }),
  codex('spare-seat@example.org', 'team', '23065794 d073129f3e87ff2f 6bae7dbe4071e4a9', {
    condition: 'disabled',
    sampling: 'never',
  }),
  ...ACCOUNTS_BESIDE_CODEX,
]
