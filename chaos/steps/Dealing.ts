/** Deals cards from a shuffled deck, so that each comes before any comes more often than the deck has it. */

export interface Card<A> {
  readonly value: A
  /** Number of the card in the deck. */
  readonly copies: number
}

/** A permutation in which every order is equally likely. `next` returns numbers of [0, 1). */
const shuffled = <A>(values: ReadonlyArray<A>, next: () => number): ReadonlyArray<A> =>
  values
    .map((value) => ({ value, rank: next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ value }) => value)

/**
 * The first `count` cards of deck after deck. Each deck begins with one of every card, in random order. Their further copies follow,
 * in random order. The same numbers of `next` deal the same cards.
 */
export const deal = <A>(cards: ReadonlyArray<Card<A>>, count: number, next: () => number): ReadonlyArray<A> => {
  const dealt: Array<A> = []
  if (cards.length === 0) return dealt
  while (dealt.length < count) {
    dealt.push(
      ...shuffled(
        cards.map(({ value }) => value),
        next
      ),
      ...shuffled(
        cards.flatMap(({ copies, value }) => Array.from({ length: copies - 1 }, () => value)),
        next
      )
    )
  }
  return dealt.slice(0, count)
}

/** Deals `count` of the values, each once before any comes again. */
export const dealEach = <A>(values: ReadonlyArray<A>, count: number, next: () => number): ReadonlyArray<A> =>
  deal(
    values.map((value) => ({ value, copies: 1 })),
    count,
    next
  )
