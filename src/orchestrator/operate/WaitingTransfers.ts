/**
 * Transfers of a lane's rest that have not ended. The only proof of an end is the lane's transaction count above the nonce in a confirmed
 * block: then one version is mined, or another transaction has used the nonce and no version ever will be.
 */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { LaneState } from "../../domain/LaneState.ts"
import * as RestTransfer from "../../domain/RestTransfer.ts"
import { LaneBook, type Withdrawal } from "../../ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { type ChainClient, Chains, type ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as ChainView from "../shared/ChainView.ts"
import { answered } from "./Probe.ts"
import * as RestConditions from "./RestConditions.ts"

/** A transfer that has not ended, or perhaps not. */
export interface Waiting {
  readonly client: ChainClient
  readonly lane: Address.Address
  readonly nonce: bigint
  /**
   * `unmined`: no block has used its nonce. `shallow`: a block has, and a reorg may drop it. `unknown`: the chain does not answer.
   */
  readonly progress: "unmined" | "shallow" | "unknown"
}

/** Progress of the transfer with this nonce. Undefined if it has ended. */
const progressOf = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  nonce: bigint
): Effect.fn.Return<"unmined" | "shallow" | undefined, ChainUnavailable> {
  const latest = yield* client.transactionCount(lane, "latest")
  if (latest <= nonce) return "unmined"
  const { confirmed } = yield* ChainView.look(client)
  if (Option.isNone(confirmed)) return "shallow"
  const { hash, number } = confirmed.value
  // The end frees the lane, so a second endpoint has to agree.
  const count = yield* client.corroborated(client.transactionCount(lane, { hash }), {
    blockOf: () => number,
    needsState: true
  })
  return count > nonce ? undefined : "shallow"
})

/**
 * Makes `waiting(lane)`, the transfers of the lane's rest that have not ended, and those whose chain does not answer and which this process
 * has not seen end before.
 */
export const make = Effect.gen(function* () {
  const book = yield* LaneBook
  const chains = yield* Chains
  /** Nonces of the newest transfers that were seen to end, by chain and lane. */
  const ended = new Map<string, bigint>()

  const waitingOn = Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, nonce: bigint) {
    const answer = yield* answered(progressOf(client, lane, nonce))
    const key = `${client.chain.id}:${lane}`
    const waiting = (progress: Waiting["progress"]): ReadonlyArray<Waiting> => [{ client, lane, nonce, progress }]
    if (Option.isNone(answer)) return ended.get(key) === nonce ? [] : waiting("unknown")
    if (answer.value === undefined) {
      ended.set(key, nonce)
      return []
    }
    // A reorg that is deeper than the confirmations may have dropped it.
    ended.delete(key)
    return waiting(answer.value)
  })

  return Effect.fnUntraced(function* (lane: Address.Address) {
    const last = yield* book.lastWithdrawals(lane)
    const found = yield* Effect.forEach(
      chains.all,
      (client) => {
        const nonce = last.get(client.chain.id)
        return nonce === undefined ? Effect.succeed([]) : waitingOn(client, lane, nonce)
      },
      { concurrency: "unbounded" }
    )
    return found.flat()
  })
})

/** Makes `explain(waiting, state)`, which tells an operator what is in the way of the lane's use, and what to do. */
export const makeExplain = Effect.gen(function* () {
  const book = yield* LaneBook
  const keys = yield* RelayerKeys
  const isMined = yield* RestConditions.makeIsMined
  const look = yield* RestConditions.make

  /** The reason for which the transfer is not mined, and what a version that replaces it lacks. */
  const reasonsOf = Effect.fnUntraced(function* (client: ChainClient, stored: Withdrawal, hasKey: boolean) {
    const seen = yield* answered(look(client, stored.lane, stored.recipient))
    const terms = RestConditions.termsOf(stored)
    if (Option.isNone(seen) || Option.isNone(terms)) return []
    const { conditions } = seen.value
    const found = RestTransfer.obstacle(terms.value, conditions)
    if (found === undefined) return []
    const cause = RestTransfer.causeOf(found)
    // Money that is sent to a lane without a key would be out of reach too.
    if (!hasKey) return [cause]
    const version = RestTransfer.replacement(terms.value, conditions)
    if ("allowed" in version) return [cause, RestTransfer.adviceOf(version, found)]
    return "missing" in version ? [cause, `Send at least ${version.missing} wei to the lane.`] : [cause]
  })

  return Effect.fnUntraced(function* ({ client, lane, nonce, progress }: Waiting, state: LaneState) {
    const { confirmations, id, name } = client.chain
    const shallow = `The transfer of the lane's rest on ${name} with nonce ${nonce} has ended in a block that is not confirmed. Wait until the block has ${confirmations} confirmations.`
    if (progress === "shallow") return shallow
    const stored = progress === "unmined" ? yield* book.withdrawal(id, lane, nonce) : Option.none()
    if (Option.isNone(stored)) {
      return `${name} does not answer, so it is unknown if the transfer of the lane's rest with nonce ${nonce} is mined. Repeat the request when it answers.`
    }
    const { amount, hash, recipient } = stored.value
    const hasKey = keys.lanes(id).includes(lane)
    const reasons = yield* reasonsOf(client, stored.value, hasKey)
    // The balance may be that after the block which has the transfer.
    const mined = yield* answered(isMined(client, stored.value))
    if (Option.contains(mined, true)) return shallow
    const key = hasKey ? [] : ["Add the lane's key to RELAYER_KEYS again, and restart the replicas."]
    const retire = state === "retired" ? [] : [`Retire the lane: sweep operate lanes retire ${lane}.`]
    return [
      `The transfer of the lane's rest on ${name} is not mined: transaction ${hash} with nonce ${nonce}, ${amount} wei to ${recipient}.`,
      ...(Option.isSome(mined) ? reasons : []),
      ...key,
      ...retire,
      `To send it again, or to replace it if no block can include it, run: sweep operate lanes empty ${lane} --chain ${id} --to ${recipient}`
    ].join(" ")
  })
})
