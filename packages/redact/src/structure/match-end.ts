/** Where a sticky expression ends that matches at this place; null where it does not. */
export function matchEnd(expression: RegExp, text: string, at: number): number | null {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : null
}
