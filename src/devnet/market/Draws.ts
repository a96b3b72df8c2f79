/** Random draws that follow from a seed. Pure but for their own counter. Not for secrets. */

export interface Draws {
  /** From 0 up to, and without, 1. */
  readonly fraction: () => number
  /** One of a list that is not empty. */
  readonly one: <A>(list: ReadonlyArray<A>) => A
  /** One of the values, each as often as its weight says. */
  readonly weighted: <A>(weights: ReadonlyArray<readonly [A, number]>) => A
  /** A number between two positive bounds whose logarithm is spread evenly. */
  readonly logarithmic: (least: number, most: number) => number
}

/** Draws of one of the streams of a seed, by the generator mulberry32. */
export const of = (seed: number, stream: number): Draws => {
  let state = (Math.imul(seed, 0x9e37_79b1) ^ Math.imul(stream + 1, 0x85eb_ca6b)) >>> 0
  const fraction = () => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const one = <A>(list: ReadonlyArray<A>): A => {
    const found = list[Math.floor(fraction() * list.length)]
    if (found === undefined) throw new Error("an empty list has nothing to draw")
    return found
  }
  return {
    fraction,
    one,
    weighted: (weights) => {
      let rest = fraction() * weights.reduce((sum, [, weight]) => sum + weight, 0)
      const found = weights.find(([, weight]) => (rest -= weight) < 0) ?? weights.at(-1)
      if (found === undefined) throw new Error("an empty list has nothing to draw")
      return found[0]
    },
    logarithmic: (least, most) => least * (most / least) ** fraction()
  }
}
