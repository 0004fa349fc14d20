import type { NotifyKind } from '@svc/core/notify'
import { bark } from './bark.ts'
import { discord } from './discord.ts'
import { feishu } from './feishu.ts'
import type { Kind } from './kind.ts'
import { ntfy } from './ntfy.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

export const knownKinds: Readonly<Record<NotifyKind, Kind>> = {
  webhook,
  ntfy,
  telegram,
  discord,
  slack,
  feishu,
  bark,
}
