/** A crowd of owners, some of whom nodes refuse. */
import { Effect } from "effect"
import { decodeFunctionData, keccak256, numberToHex } from "viem"
import { sweepEntry } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { SendRejected } from "../../../src/ports/shared/Chains.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { scene } from "../../support/RelayScene.ts"
import { source, type Sweep } from "../../support/RelayFixtures.ts"

/** Signature value by which a test tells whose authorization a transaction has. */
const signatureOf = (owner: number): Hex => numberToHex(owner, { size: 32 })

/** Owners whose sweeps the transaction carries. */
export const ownersIn = (raw: Hex): ReadonlyArray<Address.Address> => {
  const { data, to } = parse(raw)
  if (to !== source.contracts.entry) return [to]
  const [items] = decodeFunctionData({ abi: sweepEntry.abi, data }).args ?? []
  return (items ?? []).map(({ account }) => Address.of(account))
}

/**
 * Sweeps `s1`, `s2` … of owners 1, 2 …, on a node whose pool takes no authorization of the hostile ones. `orderOf`: what the order of an
 * owner has. Default: that of `offer`.
 */
export const crowd = Effect.fnUntraced(function* (
  count: number,
  names = false,
  orderOf: (owner: number) => Sweep["order"] = () => undefined
) {
  const the = yield* scene
  const transactions = yield* RelayTransactions
  const hostile = new Set<number>()
  const accepted: Array<Hex> = []
  /** Versions of which the node had no stored attempt when it received them. */
  const unstored: Array<Hex> = []
  yield* the.chain.onSend((raw) =>
    Effect.gen(function* () {
      const hash = keccak256(raw)
      const stored = (yield* Effect.orDie(transactions.unfinished(source.id))).flatMap(({ attempts }) => attempts)
      if (!stored.some((attempt) => attempt.hash === hash)) unstored.push(raw)
      const busy = [...hostile].find((owner) =>
        parse(raw).authorizationList.some(({ r }) => BigInt(r) === BigInt(owner))
      )
      if (busy === undefined) {
        accepted.push(raw)
        return hash
      }
      const detail = `authority already reserved${names ? `: ${address(busy).toLowerCase()}` : ""}`
      return yield* new SendRejected({ chainId: source.id, reason: "AuthorityBusy", detail })
    })
  )
  const submit = (owner: number, id = `s${owner}`) => {
    const order = orderOf(owner)
    return the.submit({ id, owner, submission: { r: signatureOf(owner) }, ...(order === undefined ? {} : { order }) })
  }
  const intents = yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    (owner) => submit(owner)
  )
  const blocking = Effect.flatMap(Alerts, ({ list }) =>
    Effect.map(list, (all) => all.filter(({ kind }) => kind === "owner_blocks_batch"))
  )
  return { ...the, accepted, blocking, hostile, intents, submitFor: submit, unstored }
})
