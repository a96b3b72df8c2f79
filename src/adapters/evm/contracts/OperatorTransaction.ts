/**
 * Sends a transaction of an operator's own account, and waits until it is mined. An ordinary one queues behind the account's pending
 * transactions. An emergency takes the next nonce, and so replaces a transaction that is pending or stuck: it can be repeated.
 */
import { Effect, Option, Schema } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { isWithinLimit } from "../../../domain/ChainMoney.ts"
import type { GasFees } from "../../../domain/FeeBump.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import * as OperatorFees from "../../../domain/OperatorFees.ts"
import type { RelayerKeys } from "../../../ports/orchestrator/RelayerKeys.ts"
import type { ChainClient, Receipt } from "../../../ports/shared/Chains.ts"

/** The transaction was not sent, reverted, or is not mined yet. */
export class NotDone extends Schema.TaggedError<NotDone>()("NotDone", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export interface Content {
  readonly to: Address.Address
  readonly data: Hex
  readonly gas: bigint
}

export interface Sender {
  readonly keys: RelayerKeys["Service"]
  readonly account: Address.Address
}

/** A mined transaction. */
export interface Done {
  readonly hash: Hash
  /** Paid fee in wei, with that of a rollup for the data. */
  readonly fee: bigint
}

const CONFIRMATION = { poll: "500 millis", patience: "3 minutes" } as const

/** Nonces that are tried while other transactions of the account are mined. */
const NONCES = 10

/** Polls in which the nonce is used and no receipt is seen, before the nonce counts as taken: nodes differ by some blocks. */
const PATIENT_POLLS = 20

/** Fees for the first version. Fails while the base fee is above the operator's limit, which binds all but an emergency. */
const marketOf = Effect.fnUntraced(function* (client: ChainClient, urgency: OperatorFees.Urgency) {
  const market = OperatorFees.marketFor(yield* client.feesPerGas, urgency)
  if (isWithinLimit(market)) return market
  return yield* new NotDone({
    detail: `the base fee is ${market.baseFeePerGas} wei per gas, above the limit of ${market.maxFeePerGas}, so the transaction would not be mined. Wait until the base fee falls, or raise maxFeePerGasWei in the chain's entry of the chains file`
  })
})

const notMined = (hashes: ReadonlyArray<Hash>, urgency: OperatorFees.Urgency): NotDone =>
  new NotDone({
    detail: `transaction ${hashes.at(-1)} is not mined yet. ${
      urgency === "emergency"
        ? "Run the command again to continue: it replaces a transaction that is stuck"
        : "Wait until it is mined. A repeated command would be sent in addition, behind it"
    }`
  })

/** `doubtful`: one node refused it as underpriced, and another may have taken it. */
type Sending = "taken" | "underpriced" | "doubtful" | "nonce used"

const sendOnce = (client: ChainClient, raw: Hex) =>
  client.send(raw).pipe(
    Effect.as<Sending>("taken"),
    Effect.catchTags({
      SendRejected: (rejected) => {
        if (rejected.reason === "ReplacementUnderpriced") return Effect.succeed<Sending>("underpriced")
        return rejected.reason === "NonceTooLow" ? Effect.succeed<Sending>("nonce used") : Effect.fail(rejected)
      },
      // Another node may have taken it. A later version has the same nonce, so one of them is mined at most.
      ChainUnavailable: (failed) =>
        failed.refusal === "ReplacementUnderpriced" ? Effect.succeed<Sending>("doubtful") : Effect.fail(failed)
    })
  )

/**
 * Sends a version at the nonce. In an emergency, raises the fees until the node accepts it. Returns all versions; none if no node can have
 * taken one, and the nonce is used or belongs to a pending transaction that must not be replaced.
 */
const sendAt = Effect.fnUntraced(function* (
  client: ChainClient,
  { account, keys }: Sender,
  content: Content,
  nonce: bigint,
  urgency: OperatorFees.Urgency
) {
  const { chain } = client
  const market = yield* marketOf(client, urgency)
  const hashes: Array<Hash> = []
  let isDoubtful = false
  let fees: GasFees | undefined = {
    maxFeePerGas: market.maxFeePerGas,
    maxPriorityFeePerGas: market.maxPriorityFeePerGas
  }
  while (fees !== undefined) {
    const signed = yield* keys.sign(account, { ...content, ...fees, chainId: chain.id, nonce, authorizationList: [] })
    hashes.push(signed.hash)
    const sending: Sending = yield* sendOnce(client, signed.raw)
    if (sending === "taken") {
      yield* Effect.logInfo("sent", { txHash: signed.hash, nonce, maxFeePerGas: fees.maxFeePerGas })
      return hashes
    }
    isDoubtful ||= sending === "doubtful"
    if (sending === "nonce used" || urgency === "ordinary") return isDoubtful ? hashes : []
    // The fees of the transaction that it replaces are unknown.
    fees = OperatorFees.replacing(fees, market)
  }
  return yield* new NotDone({
    detail: `another transaction of ${account} with nonce ${nonce} is pending. Replacing it would cost more than four times the market's fees. Wait until it is mined, and run the command again`
  })
})

/** Receipt of the newest version that succeeded, or else of the newest that reverted: versions at different nonces may all be mined. */
const receiptOf = Effect.fnUntraced(function* (client: ChainClient, hashes: ReadonlyArray<Hash>) {
  let reverted = Option.none<Receipt>()
  for (const hash of hashes.toReversed()) {
    const receipt: Option.Option<Receipt> = yield* client.receipt(hash)
    if (Option.exists(receipt, ({ status }) => status === "success")) return receipt
    reverted = Option.orElse(reverted, () => receipt)
  }
  return reverted
})

/** Receipt of one of the versions. None if another transaction has used the nonce. */
const awaited = Effect.fnUntraced(function* (
  client: ChainClient,
  account: Address.Address,
  nonce: bigint,
  hashes: ReadonlyArray<Hash>
) {
  let used = 0
  while (used < PATIENT_POLLS) {
    const receipt: Option.Option<Receipt> = yield* receiptOf(client, hashes)
    if (Option.isSome(receipt)) return receipt
    if ((yield* client.transactionCount(account, "latest")) > nonce) used += 1
    yield* Effect.sleep(CONFIRMATION.poll)
  }
  return Option.none()
})

/** Sends `content` at a nonce of the account until it is mined. Other transactions of the account may take nonces meanwhile. */
const mined = Effect.fnUntraced(function* (
  client: ChainClient,
  sender: Sender,
  content: Content,
  urgency: OperatorFees.Urgency
) {
  const { account } = sender
  const hashes: Array<Hash> = []
  const block = urgency === "emergency" ? "latest" : "pending"
  for (let tries = 0; tries < NONCES; tries++) {
    const nonce = yield* client.transactionCount(account, block)
    const versions = yield* sendAt(client, sender, content, nonce, urgency)
    hashes.push(...versions)
    if (versions.length === 0) {
      // The node that told the nonce may be behind.
      yield* Effect.sleep(CONFIRMATION.poll)
      continue
    }
    const receipt = yield* awaited(client, account, nonce, hashes).pipe(
      Effect.timeoutOrElse({ duration: CONFIRMATION.patience, orElse: () => Effect.fail(notMined(hashes, urgency)) })
    )
    if (Option.isSome(receipt)) return receipt.value
  }
  return yield* new NotDone({
    detail: `other transactions of ${account} take its nonces. Wait until they are mined, and run the command again`
  })
})

/** Sends the transaction, and returns it once it is mined. */
export const send = Effect.fn("OperatorTransaction.send")(function* (
  client: ChainClient,
  sender: Sender,
  content: Content,
  urgency: OperatorFees.Urgency = "ordinary"
) {
  const receipt = yield* mined(client, sender, content, urgency)
  if (receipt.status === "reverted") {
    return yield* new NotDone({ detail: `transaction ${receipt.transactionHash} reverted` })
  }
  const { dataFee = 0n, effectiveGasPrice, gasUsed, transactionHash } = receipt
  return { hash: transactionHash, fee: gasUsed * effectiveGasPrice + dataFee } satisfies Done
})
