/** Batches are hashed here as the delegate hashes them: it accepts their signatures on a node, and no others. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { BaseError, ContractFunctionRevertedError, parseEther, zeroHash } from "viem"
import { sign } from "viem/accounts"
import { sweepDelegate } from "../../../../src/adapters/evm/abi/contracts.generated.ts"
import * as Deployment from "../../../../src/adapters/evm/contracts/Deployment.ts"
import * as Anvil from "../../../../src/devnet/Anvil.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { designator } from "../../../../src/domain/Delegation.ts"
import type { Hash, Hex } from "../../../../src/domain/Hex.ts"
import { compact } from "../../../../src/domain/Signature.ts"
import * as SweepBatch from "../../../../src/domain/SweepBatch.ts"
import { OrderParts, order as orderOf } from "../../../domain/Arbitraries.ts"
import { address } from "../../../support/FakeChain.ts"

const CHAIN = 31_337
const KEY: Hex = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
const OWNER = Address.of("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
const DEPLOYER = Address.of("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")

const { contracts, transactions } = Deployment.plan({
  chainId: CHAIN,
  guardOwner: address(0x99),
  timelockSeconds: 60,
  feeRecipient: address(0xf1),
  wrappedNative: address(0xe1),
  domainName: "Service",
  routers: [],
  bridges: []
})

/** A node on which the owner's account runs the delegate. */
class Node extends Context.Service<Node, Effect.Success<ReturnType<typeof Anvil.start>>>()("test/Node") {
  static readonly layer = Layer.effect(
    Node,
    Effect.gen(function* () {
      const anvil = yield* Anvil.start({ chainId: CHAIN })
      yield* anvil.ask("deploy", async (node) => {
        await node.setBalance({ address: DEPLOYER, value: parseEther("10") })
        await node.impersonateAccount({ address: DEPLOYER })
        for (const { data, to } of transactions) {
          const hash = await node.sendTransaction({ account: DEPLOYER, chain: node.chain, to, data })
          await node.waitForTransactionReceipt({ hash })
        }
        await node.setCode({ address: OWNER, bytecode: designator(contracts.delegate.address) })
      })
      return anvil
    })
  )
}

const ChainIds = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 53 - 1 }))).check(
  Schema.isMaxLength(4)
)

const Batch = Schema.Struct({
  before: ChainIds,
  behind: ChainIds,
  own: Schema.Array(OrderParts).check(Schema.isMinLength(1), Schema.isMaxLength(3))
})

/** Legs of other chains around those of this one. None can run: the owner has no tokens. */
const legsOf = ({ before, behind, own }: typeof Batch.Type): SweepBatch.Legs => {
  const parts = own[0]
  if (parts === undefined) throw new Error("a batch has a leg here")
  const leg = (chainId: number, from: typeof OrderParts.Type): SweepBatch.SweepLeg => ({
    chainId,
    order: { ...orderOf(from), owner: OWNER }
  })
  const [head, ...tail] = [
    ...before.map((chainId) => leg(chainId, parts)),
    ...own.map((each) => leg(CHAIN, each)),
    ...behind.map((chainId) => leg(chainId, parts))
  ]
  if (head === undefined) throw new Error("a batch has a leg here")
  return [head, ...tail]
}

const signatureOf = (digest: Hash): Effect.Effect<Hex> =>
  Effect.map(
    Effect.promise(() => sign({ hash: digest, privateKey: KEY, to: "hex" })),
    compact
  )

/** The delegate's answer: its bitmap, or the name of its error. */
const answer = Effect.fnUntraced(function* (legs: SweepBatch.Legs, first: number, count: number, signature: Hex) {
  const { ask } = yield* Node
  const orders = legs.slice(first, first + count).map(({ order }) => order)
  // The hashes of the own legs are not read.
  const hashes = legs.map((leg, index) =>
    index >= first && index < first + count ? zeroHash : SweepBatch.legHash(leg)
  )
  return yield* ask("run the batch", (node) =>
    node
      .readContract({
        abi: sweepDelegate.abi.map((item) =>
          item.type === "function" && item.name === "executeBatch"
            ? { ...item, stateMutability: "view" as const }
            : item
        ),
        address: OWNER,
        functionName: "executeBatch",
        args: [orders, orders.map(() => 100_000n), hashes, BigInt(first), signature]
      })
      .then(String)
      .catch((error: unknown) => {
        const revert =
          error instanceof BaseError ? error.walk((cause) => cause instanceof ContractFunctionRevertedError) : null
        if (revert instanceof ContractFunctionRevertedError) return revert.data?.errorName ?? "unknown"
        throw error
      })
  )
})

layer(Node.layer.pipe(Layer.provideMerge(BunServices.layer)), { excludeTestServices: true, timeout: "60 seconds" })(
  "the delegate and the domain",
  (it) => {
    it.effect.prop(
      "agree on the digest of a batch",
      [Batch],
      ([batch]) =>
        Effect.gen(function* () {
          const legs = legsOf(batch)
          const signature = yield* signatureOf(SweepBatch.digest(legs, "Service"))
          const [first, count] = [batch.before.length, batch.own.length]
          assert.strictEqual(yield* answer(legs, first, count, signature), "0")
          const other = yield* signatureOf(SweepBatch.digest(legs, "Other"))
          assert.strictEqual(yield* answer(legs, first, count, other), "BadSignature")
        }),
      { arbitrary: { runs: 25 } }
    )

    it.effect.prop(
      "refuse a leg that its owner signed for another chain",
      [OrderParts],
      ([parts]) =>
        Effect.gen(function* () {
          const order = { ...orderOf(parts), owner: OWNER }
          const signature = yield* signatureOf(SweepBatch.digest([{ chainId: CHAIN + 1, order }], "Service"))
          assert.strictEqual(yield* answer([{ chainId: CHAIN, order }], 0, 1, signature), "BadSignature")
        }),
      { arbitrary: { runs: 10 } }
    )
  }
)
