/** Order of questions whose answers may come in another order. */

/**
 * Makes a function that begins a turn. It returns a check which is true until the next turn begins.
 *
 * @example
 * const isLast = begin()
 * const answer = await ask()
 * if (isLast()) show(answer)
 */
export const makeTurns = (): (() => () => boolean) => {
  let last = 0
  return () => {
    const mine = ++last
    return () => mine === last
  }
}
