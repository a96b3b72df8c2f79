/** Removes a swap target from one of a chain's guards, and names the others that list it. */
import { Console, Effect, Option } from "effect"
import * as FirstGuard from "../adapters/evm/contracts/FirstGuard.ts"
import type * as Address from "../domain/Address.ts"
import type { ChainClient } from "../ports/shared/Chains.ts"
import { carryOut, listingOf } from "./TargetChanges.ts"
import { UsageError } from "./UsageError.ts"

/** Fails unless the chain's entry names this guard as one of the first generation, and it lists the target. */
const requireListedAt = Effect.fnUntraced(function* (
  client: ChainClient,
  guard: Address.Address,
  target: Address.Address
) {
  const { chain } = client
  if (!FirstGuard.guardsOf(chain).includes(guard)) {
    const detail = `the entry of ${chain.name} names no guard of the first generation at ${guard}. Leave out --guard for the current one`
    return yield* new UsageError({ detail })
  }
  const listed = yield* FirstGuard.listed(client, guard, [target])
  if (listed.length === 0) return yield* new UsageError({ detail: `${target} is not listed at ${guard}` })
})

const removeAtFirst = Effect.fnUntraced(function* (
  client: ChainClient,
  guard: Address.Address,
  target: Address.Address,
  output: Option.Option<string>
) {
  yield* requireListedAt(client, guard, target)
  yield* carryOut(client, { target, isAllowed: false }, output, { at: guard, urgency: "emergency" })
})

const removeAtCurrent = Effect.fnUntraced(function* (
  client: ChainClient,
  target: Address.Address,
  output: Option.Option<string>
) {
  const { activeFrom, kind = "router" } = yield* listingOf(client, target)
  if (activeFrom === 0n) return yield* new UsageError({ detail: `${target} is not listed` })
  yield* carryOut(client, { target, kind, isAllowed: false }, output, { urgency: "emergency" })
})

/** Names the chain's other guards that list a target too. A removal changes the list of one guard only. */
const tellOthers = Effect.fnUntraced(
  function* (client: ChainClient, target: Address.Address, at: Address.Address) {
    const { chain } = client
    const { activeFrom } = yield* listingOf(client, target)
    const current = activeFrom > 0n ? [{ guard: chain.contracts.guard, flag: "the same command without --guard" }] : []
    const first = yield* Effect.filter(FirstGuard.guardsOf(chain), (guard) =>
      Effect.map(FirstGuard.listed(client, guard, [target]), (listed) => listed.length > 0)
    )
    for (const { flag, guard } of [...current, ...first.map((guard) => ({ guard, flag: `--guard ${guard}` }))]) {
      if (guard === at) continue
      yield* Console.error(
        `the guard ${guard} lists ${target} too. If it may be compromised, remove it there as well, with ${flag}`
      )
    }
  },
  Effect.catchTag("ChainUnavailable", ({ message }) =>
    Console.error(`the chain's other guards were not read: ${message}`)
  )
)

/**
 * Removes the target from `guard`, one of the first generation. Default: the current guard. Whatever comes of it, the other guards that list
 * the target are named.
 */
export const remove = Effect.fnUntraced(function* (
  client: ChainClient,
  {
    guard,
    output,
    target
  }: {
    readonly guard: Option.Option<Address.Address>
    readonly target: Address.Address
    readonly output: Option.Option<string>
  }
) {
  const told = tellOthers(
    client,
    target,
    Option.getOrElse(guard, () => client.chain.contracts.guard)
  )
  const removed = Option.match(guard, {
    onNone: () => removeAtCurrent(client, target, output),
    onSome: (at) => removeAtFirst(client, at, target, output)
  })
  yield* Effect.tapError(removed, () => told)
  yield* told
})
