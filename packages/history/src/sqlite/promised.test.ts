import { expect, it } from 'vitest'
import { promised } from './promised.ts'

interface Port {
  double(number: number): Promise<number>
  fail(): Promise<void>
}

it('methods that answer at once answer by promises, which reject where a method throws', async () => {
  const port = promised<Port>({
    double: (number) => 2 * number,
    fail() {
      throw new Error('disk')
    },
  })

  await expect(port.double(2)).resolves.toBe(4)
  await expect(port.fail()).rejects.toThrow('disk')
})
