/** Reads that are compared with those of a second endpoint, since one endpoint alone may lie. */
import { Effect } from "effect"

/** Comparison of the answers of two endpoints. */
export interface Comparison<A> {
  /** Default: structural equality. */
  readonly isSame?: ((a: A, b: A) => boolean) | undefined
  /** True for "not known yet", which contradicts a known answer only if its endpoint has the block of that answer. Default: false. */
  readonly isUnknown?: ((answer: A) => boolean) | undefined
  /**
   * Block of a known answer. Default: its `blockNumber`, also inside an option. A read of a block by its hash has to tell it, or an
   * endpoint that does not have the block contradicts nothing.
   */
  readonly blockOf?: ((answer: A) => bigint | undefined) | undefined
  /**
   * True if an endpoint that shows the block of the read, and does not read its state, contradicts a known answer. Set it where a wrong
   * answer loses money. Default: false, and an endpoint that does so with an old block has pruned it, and counts as silent.
   */
  readonly needsState?: boolean | undefined
}

/** Answer of one endpoint. */
export interface Attested<A, E> {
  readonly answer: A
  /** Compares it with the answer of another endpoint, as `corroborated` does. */
  readonly corroborate: Effect.Effect<A, E>
}

/** `E`: the failure of reads. */
export interface Corroborating<E> {
  /**
   * Runs a read on two endpoints, and compares. Returns the answer of the first if the second is equal or does not answer in time. If they
   * differ, the others are asked as well. Returns the answer of one side if two endpoints or more take it and only one the other, and
   * fails with the names of both sides otherwise. With one endpoint it runs once. Endpoints have different heads, so the read has to name
   * its block. It must not keep answers.
   */
  readonly corroborated: <A>(read: Effect.Effect<A, E>, comparison?: Comparison<A>) => Effect.Effect<A, E>
  /** Runs a read once, for a reader that learns from the answer if it needs that of a second endpoint. */
  readonly attested: <A>(read: Effect.Effect<A, E>, comparison?: Comparison<A>) => Effect.Effect<Attested<A, E>, E>
}

/** Reads of a chain with one endpoint, which nothing can be compared with. */
export const alone = {
  corroborated: <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> => read,
  attested: <A, E>(read: Effect.Effect<A, E>): Effect.Effect<Attested<A, E>, E> =>
    Effect.map(read, (answer) => ({ answer, corroborate: Effect.succeed(answer) }))
}
