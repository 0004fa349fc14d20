import type { UnpricedReason } from '@svc/core/money'

/** Why tokens have no price. */
export const unpriced: Readonly<Record<UnpricedReason, string>> = {
  classes: 'The records do not tell input, cache and output apart.',
  model: 'Neither the price file nor an own rate has this model.',
  tier: 'There are no rates of the service tier.',
  band: 'The entry of the price file was refused: its rates change at another size of the input.',
  zero: 'The entry of the price file was refused: it states zero.',
  rate: 'The entry of the price file was refused: it states a rate that is none.',
}
