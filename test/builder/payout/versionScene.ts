/** An open batch with recorded payments of vaults that signed them offline, and a chain whose state a test changes. */
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { decodeFunctionData, keccak256, pad, parseAbi, toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as MemoryStores from "../../../src/adapters/memory/builder/Stores.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { type PayoutBatch, TRANSFER } from "../../../src/domain/Payout.ts"
import { paymentData, permitNonce, permitTypedData } from "../../../src/domain/PayoutPayment.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import { register } from "../../support/BuilderFixtures.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const signer = privateKeyToAccount(generatePrivateKey())
const VAULT = Address.of(signer.address)
const former = privateKeyToAccount(generatePrivateKey())
const TOKEN = FakeChain.address(0xd1)
const PAYEE = address(0x80)

/** A transaction that pays the batch, of which the database has no record. */
export const FORGOTTEN = hash("forgotten")

/** UNIX seconds. */
export const [DEADLINE, FORMER_DEADLINE] = [3_600, 7_200]

const abi = parseAbi(["function nonceBitmap(address owner, uint256 word) view returns (uint256)"])

/** State of the chain, which a test changes. `spentAt` is the block in which the vault's Permit2 nonce of the batch was spent. */
export interface Node {
  batchId: string
  spentAt: bigint | undefined
  seconds: bigint
  /** The transaction that succeeded, beside the forgotten one. */
  succeeded: string | undefined
}

export const HEAD = 100n

const chainOf = (node: Node, vault = VAULT) => {
  const blockAt = (number: bigint) => ({
    number,
    hash: hash(`block ${number}`),
    parentHash: hash(`block ${number - 1n}`),
    timestamp: node.seconds,
    baseFeePerGas: 1n,
    gasLimit: 1n
  })
  return FakeChain.layer({
    chain: { ...FakeChain.chain, builderVault: vault, confirmations: 3 },
    block: (which) => Effect.succeedSome(blockAt(which === "latest" ? HEAD : which)),
    call: ({ block, data }) => {
      const [owner, word] = decodeFunctionData({ abi, data: data ?? "0x" }).args
      const nonce = permitNonce(node.batchId)
      const isSpent =
        Address.of(owner) === VAULT &&
        node.spentAt !== undefined &&
        typeof block === "bigint" &&
        block >= node.spentAt &&
        word === nonce >> 8n
      return Effect.succeed(toHex(isSpent ? 1n << (nonce & 0xffn) : 0n, { size: 32 }))
    },
    receipt: (transactionHash) =>
      Effect.succeed(
        transactionHash !== FORGOTTEN && transactionHash !== node.succeeded
          ? Option.none()
          : Option.some({
              transactionHash,
              blockNumber: 90n,
              blockHash: hash("block 90"),
              status: "success" as const,
              gasUsed: 1n,
              effectiveGasPrice: 1n,
              logs: [
                {
                  address: TOKEN,
                  topics: [TRANSFER, pad(VAULT, { size: 32 }), pad(PAYEE, { size: 32 })],
                  data: toHex(5n, { size: 32 }),
                  blockNumber: 90n,
                  blockHash: hash("block 90"),
                  transactionHash,
                  logIndex: 0
                }
              ]
            })
      )
  })
}

/** A payment of the batch that the account signed as the vault. Default: the present vault. */
export const signed = (batch: PayoutBatch, account = signer, deadline = DEADLINE) =>
  Effect.promise(async () => {
    const payer = { vault: Address.of(account.address), permit2: FakeChain.chain.permit2 }
    const signature = await account.signTypedData(permitTypedData(batch, payer, BigInt(deadline)))
    return account.signTransaction({
      type: "eip1559",
      chainId: FakeChain.chain.id,
      to: payer.permit2,
      data: paymentData(batch, payer.vault, BigInt(deadline), signature),
      gas: 100_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      nonce: 0
    })
  })

/** Stores a version as if it had been recorded while its signer was the vault. Returns its hash. */
const stored = Effect.fnUntraced(function* (batch: PayoutBatch, raw: Hex, deadline: number, known: number) {
  const txHash = keccak256(raw)
  yield* (yield* Payouts).record(batch.id, { txHash, raw, deadline }, known)
  return txHash
})

/** Stores a version that a former vault signed. Its permit ends after that of the present vault's version. */
export const recordFormer = Effect.fnUntraced(function* (batch: PayoutBatch) {
  return yield* stored(batch, yield* signed(batch, former, FORMER_DEADLINE), FORMER_DEADLINE, 0)
})

/** Records a version of the present vault. Returns its hash. */
export const recordPresent = Effect.fnUntraced(function* (batch: PayoutBatch) {
  const raw = yield* signed(batch)
  yield* (yield* PayoutDesk).record(batch.id, raw, 0, "test")
  return keccak256(raw)
})

/** Stores a version of a former vault and one of the present vault, as earlier releases recorded them. Returns the hash of the second. */
export const recordBoth = Effect.fnUntraced(function* (batch: PayoutBatch) {
  yield* recordFormer(batch)
  return yield* stored(batch, yield* signed(batch), DEADLINE, 1)
})

/** A chain at UNIX second 60 on which nothing happened. */
export const quiet = (): Node => ({ batchId: "", spentAt: undefined, seconds: 60n, succeeded: undefined })

/** Opens a batch on the chain of the node. */
export const opened = Effect.fnUntraced(function* (node: Node) {
  yield* register
  const accrual = { builderId: "alpha", sweepId: "sweep", token: TOKEN, amount: 5n, chainId: FakeChain.chain.id }
  yield* (yield* Ledger).accrue(accrual)
  const desk = yield* PayoutDesk
  const { id } = yield* desk.open({ chainId: FakeChain.chain.id, token: TOKEN, minAmount: 0n }, "test")
  node.batchId = id
  return yield* desk.get(id)
})

const desk = (node: Node, vault?: Address.Address) =>
  PayoutDesk.layer.pipe(
    Layer.provide([
      chainOf(node, vault),
      BuilderSettings.layer(builderDefaults),
      SecureRandom.layerWebCrypto,
      Layer.succeed(Screening, { clear: () => Effect.void })
    ])
  )

/** The desk on memory stores and the chain of the node. */
export const deskOn = (node: Node) => Layer.provideMerge(desk(node), MemoryStores.layer)

/** Exports the batch while the chain has another vault. */
export const exportedFor = (node: Node, id: string, vault: Address.Address) =>
  Effect.provide(
    PayoutDesk.use(({ safeTransactions }) => safeTransactions(id, "test")),
    Layer.fresh(desk(node, vault))
  )
