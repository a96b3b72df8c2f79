/** `RelayerKeys` over accounts. Every account is a lane on every chain, since nonces are per chain. */
import { type Array, Effect, Layer, Schema, Semaphore } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { RelayerKeys, SigningFailed } from "../../../ports/orchestrator/RelayerKeys.ts"
import type { Account } from "./KeyAccount.ts"

/** A configured key cannot be used, or is configured twice. The message never contains the key. */
export class BadRelayerKey extends Schema.TaggedError<BadRelayerKey>()("BadRelayerKey", {
  /** Position in the configuration, from 0. */
  index: Schema.Number,
  detail: Schema.String
}) {
  override get message(): string {
    return `relayer key ${this.index}: ${this.detail}`
  }
}

/** Allocations of a lane that something outside signs for: one waits for its signature, and one for the other. */
const TURNS_OF_LANE = 2

/** Wait for a turn, in milliseconds. */
const TURN_MILLIS = 4_000

const makeTurns = Effect.fnUntraced(function* (accounts: ReadonlyArray<Account>) {
  const lanes = new Map<Address.Address, Semaphore.Semaphore>()
  for (const { address, isOutside } of accounts) {
    if (isOutside) lanes.set(address, yield* Semaphore.make(TURNS_OF_LANE))
  }

  const inTurn: RelayerKeys["Service"]["inTurn"] = (lane, effect) => {
    const own = lanes.get(lane)
    if (own === undefined) return effect
    const taken = Effect.acquireRelease(own.take(1), () => own.release(1), { interruptible: true })
    return Effect.scoped(
      Effect.andThen(
        Effect.timeoutOrElse(taken, {
          duration: TURN_MILLIS,
          orElse: () => Effect.fail(new SigningFailed({ lane, detail: `no turn to sign within ${TURN_MILLIS} ms` }))
        }),
        effect
      )
    )
  }
  return inTurn
})

/** Lanes of accounts, in their order. */
export const make = Effect.fnUntraced(function* (accounts: Array.NonEmptyReadonlyArray<Account>) {
  const byAddress = new Map(accounts.map((account) => [account.address, account]))
  const addresses = accounts.map(({ address }) => address)
  const index = addresses.findIndex((address, at) => addresses.indexOf(address) !== at)
  if (index >= 0) return yield* new BadRelayerKey({ index, detail: "is configured twice" })

  const accountOf = (lane: Address.Address) => {
    const account = byAddress.get(lane)
    return account === undefined
      ? Effect.fail(new SigningFailed({ lane, detail: "no such lane" }))
      : Effect.succeed(account)
  }

  return RelayerKeys.of({
    lanes: () => addresses,
    sign: Effect.fnUntraced(function* (lane, transaction) {
      const { signTransaction } = yield* accountOf(lane)
      return yield* Effect.mapError(signTransaction(transaction), ({ detail }) => new SigningFailed({ lane, detail }))
    }),
    isAnswering: (lane) => byAddress.get(lane)?.isAnswering ?? Effect.succeed(false),
    inTurn: yield* makeTurns(accounts)
  })
})

/** Lanes of keys, in their order. An error names the position of its key. */
export const layer = <E extends { readonly message: string }, R>(
  keys: Array.NonEmptyReadonlyArray<Effect.Effect<Account, E, R>>
) =>
  Layer.effect(
    RelayerKeys,
    Effect.flatMap(
      Effect.forEach(
        keys,
        (key, index) => Effect.mapError(key, ({ message }) => new BadRelayerKey({ index, detail: message })),
        // Several keystores take seconds each.
        { concurrency: 4 }
      ),
      make
    )
  )
