/** The same encodings and decodings by the libraries: viem for the chain's formats, Schema for answers and rows. */
import { Option, Schema, SchemaTransformation } from "effect"
import { decodeEventLog, serializeTransaction } from "viem"
import { sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import type { TransactionSignature } from "../../src/adapters/evm/codec/TransactionRlp.ts"
import * as Address from "../../src/domain/Address.ts"
import { Uint256 } from "../../src/domain/Amount.ts"
import { PayoutMode } from "../../src/domain/Builder.ts"
import { Hash, Hex } from "../../src/domain/Hex.ts"
import { FailureReason, IntentStatus } from "../../src/domain/Intent.ts"
import { Quote } from "../../src/domain/Quote.ts"
import type { Swept } from "../../src/domain/Swept.ts"
import type { Log } from "../../src/ports/shared/Chains.ts"
import type { UnsignedTransaction } from "../../src/ports/shared/Transaction.ts"

export const serialize = (transaction: UnsignedTransaction, signature?: TransactionSignature): Hex => {
  const { authorizationList, nonce, ...rest } = transaction
  const fields = {
    ...rest,
    type: "eip7702" as const,
    nonce: Number(nonce),
    value: 0n,
    authorizationList: authorizationList.map((each) => ({ ...each, nonce: Number(each.nonce) }))
  }
  return signature === undefined ? serializeTransaction(fields) : serializeTransaction(fields, signature)
}

/** Addresses in the form of the domain, as the hand-written decoder returns them. */
const sweptOf = Option.liftThrowable((log: Log) => {
  const { args } = decodeEventLog({
    abi: sweepGuard.abi,
    eventName: "Swept",
    topics: log.topics as [Hex, ...Array<Hex>],
    data: log.data
  })
  return {
    ...args,
    owner: Address.of(args.owner),
    builder: Address.of(args.builder),
    tokenIn: Address.of(args.tokenIn),
    tokenOut: Address.of(args.tokenOut),
    destination: Address.of(args.destination),
    swapTarget: Address.of(args.swapTarget)
  } satisfies Swept
})

export const decodeSwept = (guard: Address.Address, log: Log) =>
  log.address === guard ? sweptOf(log) : Option.none<Swept>()

const Millis = Schema.Date.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (date) => date.getTime(), encode: (millis) => new Date(millis) })
  )
)

const { crossChain: _crossChain, id: _id, sourceChainId: _sourceChainId, ...stored } = Quote.fields
const StoredQuote = Schema.Struct(stored)

export const intents = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      source_chain_id: Schema.BigInt,
      owner: Address.Address,
      order_nonce: Uint256,
      dest_chain_id: Uint256,
      deadline: Uint256,
      token_in: Address.Address,
      amount_in: Uint256,
      fee_amount: Uint256,
      builder: Schema.NullOr(Address.Address),
      builder_fee: Uint256,
      token_out: Address.Address,
      min_amount_out: Uint256,
      destination: Schema.NullOr(Address.Address),
      swap_target: Address.Address,
      swap_calldata: Hex,
      quote: StoredQuote,
      order_digest: Hash,
      quoted_at_block: Schema.BigInt,
      gas: Schema.BigInt,
      user_id: Schema.String,
      builder_id: Schema.NullOr(Schema.String),
      payout_mode: Schema.NullOr(PayoutMode),
      status: IntentStatus,
      authorization_chain_id: Schema.BigInt,
      authorization_nonce: Uint256,
      y_parity: Schema.Literals([0, 1]),
      delegate: Address.Address,
      r: Hash,
      s: Hash,
      signature: Hex,
      submitted_at: Schema.NullOr(Millis),
      tx_hash: Schema.NullOr(Hash),
      delivery_tx_hash: Schema.NullOr(Hash),
      failure_reason: Schema.NullOr(FailureReason),
      failure_detail: Schema.NullOr(Schema.String),
      created_at: Millis,
      updated_at: Millis
    })
  )
)
