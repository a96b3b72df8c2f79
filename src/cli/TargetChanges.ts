/** Carries out changes of a guard's swap targets, by the key of its owner or by its owner's Safe. */
import { Clock, Console, Effect, FileSystem, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import * as FirstGuard from "../adapters/evm/contracts/FirstGuard.ts"
import * as GuardOwner from "../adapters/evm/contracts/GuardOwner.ts"
import * as SwapTargets from "../adapters/evm/contracts/SwapTargets.ts"
import * as LaneKeys from "../adapters/evm/keys/LaneKeys.ts"
import * as ConfiguredKey from "../adapters/signers/ConfiguredKey.ts"
import { deployment } from "../config/Deployment.ts"
import type * as Address from "../domain/Address.ts"
import type { Urgency } from "../domain/OperatorFees.ts"
import type { TargetListing } from "../domain/SwapTarget.ts"
import { toSafeTarget, type TargetChange } from "../domain/TargetSafe.ts"
import type { ChainClient, ChainUnavailable } from "../ports/shared/Chains.ts"
import { RelayerKeys } from "../ports/orchestrator/RelayerKeys.ts"
import * as Keys from "./Keys.ts"
import { UsageError } from "./UsageError.ts"

/** Calldata of the change. A change without a kind is one at the first generation, whose guard only loses targets. */
const encode = ({ isAllowed, kind, target }: TargetChange) =>
  kind === undefined ? FirstGuard.encodeRemove(target) : SwapTargets.encodeSet(target, kind, isAllowed)

/** Sends the change with GUARD_OWNER_KEY. Without it, prints the transaction for the owner's Safe. */
export const carryOut = Effect.fnUntraced(function* (
  client: ChainClient,
  change: TargetChange,
  output: Option.Option<string>,
  {
    at = client.chain.contracts.guard,
    urgency = "ordinary"
  }: { readonly at?: Address.Address; readonly urgency?: Urgency } = {}
) {
  const { chain } = client
  const { owner } = yield* SwapTargets.facts(client, at)
  const configured = yield* deployment.guardOwnerKey.config
  if (Option.isNone(configured)) {
    const guard = { chainId: chain.id, address: at, safe: owner }
    const text = JSON.stringify(toSafeTarget(guard, change, yield* Clock.currentTimeMillis), null, 2)
    if (Option.isNone(output)) return yield* Console.log(text)
    const fs = yield* FileSystem.FileSystem
    yield* fs.writeFileString(output.value, `${text}\n`)
    return yield* Console.error(`wrote ${output.value}`)
  }
  const key = yield* Keys.parseOne("GUARD_OWNER_KEY", "the key of the guard's owner", configured)
  const keys = LaneKeys.layer([ConfiguredKey.make(key, yield* Keys.options)]).pipe(Layer.provide(FetchHttpClient.layer))
  yield* Effect.gen(function* () {
    const [account] = (yield* RelayerKeys).lanes(chain.id)
    if (account !== owner) {
      return yield* new UsageError({
        detail: `GUARD_OWNER_KEY is the key of ${account}. The guard of ${chain.name} belongs to ${owner}`
      })
    }
    const { fee, hash } = yield* GuardOwner.send(client, owner, encode(change), urgency, at)
    yield* Console.log(
      `${change.isAllowed ? "proposed" : "removed"} ${change.target} in transaction ${hash}, for a fee of ${fee} wei`
    )
  }).pipe(Effect.provide(keys))
})

/** The listing of a target at the current guard. */
export const listingOf = Effect.fnUntraced(function* (
  client: ChainClient,
  target: Address.Address
): Effect.fn.Return<TargetListing, ChainUnavailable> {
  const [listing] = yield* SwapTargets.read(client, [target])
  return listing ?? { address: target, activeFrom: 0n }
})
