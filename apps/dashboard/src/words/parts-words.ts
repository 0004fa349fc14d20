import { countedText } from '@svc/views/format'

/** Words of the sheet with the parts of a sum of quota. */
export const partsWords = {
  title: 'Quota by account',
  states: {
    usable: (count: number) => `Usable: ${countedText(count, 'account')}`,
    held: (count: number) => `Held, on blocked accounts: ${countedText(count, 'account')}`,
    unknown: (count: number) => `Unknown, not read yet: ${countedText(count, 'account')}`,
  },
  more: (count: number) => `${count} more`,
  all: 'All as JSON',
  failed: 'The parts could not be loaded.',
}
