/** `./sweep targets`: shows and changes the contracts that sweeps may call, on the guards' own lists. */
import { Clock, Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as JsonRpcChains from "../adapters/evm/chains/Chains.ts"
import * as SwapTargets from "../adapters/evm/contracts/SwapTargets.ts"
import * as Address from "../domain/Address.ts"
import { ChainId } from "../domain/ChainId.ts"
import { type ChainClient, Chains } from "../ports/shared/Chains.ts"
import { configuredChains } from "./ConfiguredChains.ts"
import { json, printed } from "./Output.ts"
import { carryOut, listingOf } from "./TargetChanges.ts"
import * as TargetRemoval from "./TargetRemoval.ts"
import { asTable, named, row, TargetRows } from "./TargetsTables.ts"
import { UsageError } from "./UsageError.ts"

const connected = Layer.unwrap(Effect.map(configuredChains, JsonRpcChains.layer)).pipe(
  Layer.provide(FetchHttpClient.layer)
)

const chainFlag = Flag.Int("chain").pipe(Flag.withSchema(ChainId), Flag.withDescription("Id of the chain"))

const targetFlag = Flag.String("target").pipe(
  Flag.withSchema(Address.NonZeroAddress),
  Flag.withDescription("Address of the contract")
)

const outputFlag = Flag.String("output").pipe(
  Flag.withDescription("Without GUARD_OWNER_KEY: write the Safe's transaction to this file instead of standard output"),
  Flag.optional
)

const clientOf = (chainId: number) =>
  Effect.flatMap(Chains, (chains) => chains.get(chainId)).pipe(
    Effect.catchTag("UnsupportedChain", () => new UsageError({ detail: `chain ${chainId} is not in the chains file` }))
  )

/** Every target of a chain that the chains file or the guard's events name. */
const rowsOf = Effect.fnUntraced(function* (client: ChainClient) {
  const { chain } = client
  const { kinds, unreadUpTo } = yield* Effect.catchTag(SwapTargets.history(client), "ChainUnavailable", (error) =>
    Effect.as(Console.error(`${chain.name}: ${error.message}`), { kinds: new Map(), unreadUpTo: 0n })
  )
  if (unreadUpTo !== undefined) {
    yield* Console.error(
      `${chain.name}: the guard's events up to block ${unreadUpTo} were not read. Targets that only they name are not shown`
    )
  }
  const known = named(chain).map(({ address }) => address)
  const found = [...kinds].flatMap(([address, kind]) =>
    kind === undefined || known.includes(address) ? [] : [address]
  )
  const listings = yield* SwapTargets.read(client, [...known, ...found])
  const nowMs = yield* Clock.currentTimeMillis
  return listings.map((listing) => row(chain, listing, { kindByEvent: kinds.get(listing.address), nowMs }))
})

const list = Command.make("list", { chain: Flag.optional(chainFlag), json }, ({ chain, json }) =>
  Effect.gen(function* () {
    const { all } = yield* Chains
    const clients = Option.isSome(chain) ? [yield* clientOf(chain.value)] : all
    const rows = yield* Effect.forEach(clients, rowsOf, { concurrency: "unbounded" })
    yield* printed(TargetRows, rows.flat(), json, asTable)
  }).pipe(Effect.provide(connected))
).pipe(
  Command.withDescription("List swap targets: those of the chains file, and those that the guards' events name"),
  Command.withExamples([{ command: "sweep targets list --chain 8453", description: "List the targets on Base" }])
)

const at = (seconds: bigint): string => new Date(Number(seconds) * 1_000).toISOString()

const isTokenOf = ({ chain }: ChainClient, target: Address.Address): boolean =>
  [chain.wrappedNative, ...chain.stables, ...chain.tokens.map(({ address }) => address)].includes(target)

const propose = Command.make(
  "propose",
  {
    chain: chainFlag,
    target: targetFlag,
    kind: Flag.Literals("kind", ["router", "bridge"]).pipe(
      Flag.withDescription("`router` for orders that stay on the chain, `bridge` for orders that leave it")
    ),
    output: outputFlag
  },
  ({ chain: chainId, kind, output, target }) =>
    Effect.gen(function* () {
      const client = yield* clientOf(chainId)
      const { activeFrom } = yield* listingOf(client, target)
      if (activeFrom > 0n) {
        return yield* new UsageError({ detail: `${target} is listed already, active from ${at(activeFrom)}` })
      }
      if ((yield* client.code(target)) === "0x") {
        return yield* new UsageError({ detail: `${target} is not a contract on ${client.chain.name}` })
      }
      // A sweep could call a token to move the owner's other funds.
      if (isTokenOf(client, target) || (yield* SwapTargets.looksLikeToken(client, target))) {
        return yield* new UsageError({ detail: `${target} is a token. Sweeps could move other funds of their owners` })
      }
      yield* carryOut(client, { target, kind, isAllowed: true }, output)
      const { timelockSeconds } = yield* SwapTargets.facts(client)
      yield* Console.error(`sweeps may call it ${timelockSeconds} seconds after the transaction is mined`)
    }).pipe(Effect.provide(connected))
).pipe(
  Command.withDescription("Propose a swap target. Sweeps may call it after the guard's timelock"),
  Command.withExamples([
    {
      command: "GUARD_OWNER_KEY=0x… sweep targets propose --chain 8453 --target 0x… --kind bridge",
      description: "List a bridge on Base after the timelock"
    },
    {
      command: "sweep targets propose --chain 8453 --target 0x… --kind bridge --output proposal.json",
      description: "Write the transaction for the Safe that owns the guard"
    }
  ])
)

const apply = Command.make(
  "apply",
  {
    chain: chainFlag,
    target: targetFlag,
    replaces: Flag.String("replaces").pipe(
      Flag.withSchema(Address.NonZeroAddress),
      Flag.withDescription("Target that is removed now, once `--target` is active"),
      Flag.optional
    ),
    output: outputFlag
  },
  ({ chain: chainId, output, replaces, target }) =>
    Effect.gen(function* () {
      const client = yield* clientOf(chainId)
      const listing = yield* listingOf(client, target)
      if (listing.activeFrom === 0n) {
        return yield* new UsageError({ detail: `${target} is not proposed. Run sweep targets propose first` })
      }
      if (listing.kind === undefined) {
        return yield* new UsageError({
          detail: `${target} becomes active at ${at(listing.activeFrom)}. Try again then`
        })
      }
      yield* Console.error(`${target} is active as a ${listing.kind}`)
      if (Option.isNone(replaces)) return
      const old = yield* listingOf(client, replaces.value)
      if (old.activeFrom === 0n) return yield* Console.error(`${replaces.value} is no longer listed`)
      if (replaces.value === target || (old.kind !== undefined && old.kind !== listing.kind)) {
        return yield* new UsageError({ detail: `${replaces.value} is not another ${listing.kind}` })
      }
      yield* carryOut(client, { target: replaces.value, kind: listing.kind, isAllowed: false }, output)
    }).pipe(Effect.provide(connected))
).pipe(
  Command.withDescription("Check that a proposed target is active, and remove the one that it replaces"),
  Command.withExamples([
    {
      command: "GUARD_OWNER_KEY=0x… sweep targets apply --chain 8453 --target 0x… --replaces 0x…",
      description: "Finish a rotation after the timelock"
    }
  ])
)

const remove = Command.make(
  "remove",
  {
    chain: chainFlag,
    target: targetFlag,
    guard: Flag.String("guard").pipe(
      Flag.withSchema(Address.NonZeroAddress),
      Flag.withDescription("Guard of the first generation from which it is removed. Default: the current guard"),
      Flag.optional
    ),
    output: outputFlag
  },
  ({ chain: chainId, guard, output, target }) =>
    Effect.gen(function* () {
      const client = yield* clientOf(chainId)
      yield* TargetRemoval.remove(client, { guard, target, output })
    }).pipe(Effect.provide(connected))
).pipe(
  Command.withDescription("Remove a swap target at once, without the timelock"),
  Command.withExamples([
    {
      command: "GUARD_OWNER_KEY=0x… sweep targets remove --chain 8453 --target 0x…",
      description: "Forbid calls of a contract that may be compromised"
    },
    {
      command: "GUARD_OWNER_KEY=0x… sweep targets remove --chain 8453 --target 0x… --guard 0x…",
      description: "Retire the first generation of the contracts, one target after another"
    }
  ])
)

export const targetsCommand = Command.make("targets").pipe(
  Command.withDescription("Show and change the contracts that sweeps may call"),
  Command.withSubcommands([list, propose, apply, remove])
)
