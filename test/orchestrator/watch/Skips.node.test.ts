/** Sweeps that the entry skips on a node, and what they cost. */
import { assert, layer } from "@effect/vitest"
import { Effect, identity, Layer, Option } from "effect"
import { numberToHex, parseEther, parseGwei } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import { SweepContracts as SweepContractsPort } from "../../../src/ports/orchestrator/SweepContracts.ts"
import * as Address from "../../../src/domain/Address.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as Skips from "../../../src/orchestrator/watch/Skips.ts"
import { type ChainClient, Chains } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { chains, OneChain } from "../../support/OneChain.ts"
import { offer } from "../../support/RelayFixtures.ts"
import { lying } from "../../support/TwoEndpoints.ts"

type Account = ReturnType<typeof privateKeyToAccount>

/** Owners whose sweep fails, by what they did. */
const NAMES = [
  "runs ours",
  "runs other code",
  "runs no code",
  "was stale",
  "became stale",
  "became stale, then other"
] as const
type Name = (typeof NAMES)[number]

/** Those whose authorization for nonce 0 the transaction has. */
const AUTHORIZING: ReadonlySet<Name> = new Set<Name>(["was stale", "became stale", "became stale, then other"])

const SIGNATURE: Hex = `0x${"ab".repeat(65)}`

const made = Effect.gen(function* () {
  const { node } = yield* OneChain
  const contracts = yield* SweepContractsPort
  const client = yield* (yield* Chains).get(node.chainId)
  const { delegate, entry } = client.chain.contracts
  const fees = { maxFeePerGas: parseGwei("100"), maxPriorityFeePerGas: parseGwei("1") }
  const common = { chainId: node.chainId, type: "eip1559" as const, gas: 100_000n, ...fees }

  /** Accounts of a lane and of owners, before the block. */
  const accounts = Effect.gen(function* () {
    const lane = privateKeyToAccount(generatePrivateKey())
    const owners = new Map(NAMES.map((name) => [name, privateKeyToAccount(generatePrivateKey())] as const))
    yield* node.ask("fund", async (it) => {
      for (const each of [lane, ...owners.values()])
        await it.setBalance({ address: each.address, value: parseEther("1") })
      const of = (name: Name) => owners.get(name)?.address ?? lane.address
      await it.setCode({ address: of("runs ours"), bytecode: designator(delegate) })
      await it.setCode({ address: of("runs other code"), bytecode: designator(address(0x99)) })
      await it.setNonce({ address: of("was stale"), nonce: 3 })
    })
    return { lane, owners }
  })

  const sent = (account: Account, nonce: number) =>
    Effect.promise(() =>
      account.signTransaction({ ...common, nonce, to: account.address, maxPriorityFeePerGas: parseGwei("50") })
    )

  /** The owner's own delegation to other code. */
  const redelegated = (account: Account, nonce: number) =>
    Effect.promise(async () =>
      account.signTransaction({
        ...common,
        type: "eip7702",
        nonce,
        to: account.address,
        maxPriorityFeePerGas: parseGwei("40"),
        authorizationList: [
          await account.signAuthorization({ chainId: node.chainId, contractAddress: address(0x99), nonce: nonce + 1 })
        ]
      })
    )

  /** Mines a batch of the sweeps behind what their owners send. Returns the costs of skips, in gas. `seenBy`: client that reads them. */
  const batch = Effect.fnUntraced(function* (
    names: ReadonlyArray<Name>,
    changes: Partial<SweepOrder> = {},
    seenBy: (client: ChainClient) => ChainClient = identity
  ) {
    const { lane, owners } = yield* accounts
    const sweeps = yield* Effect.forEach(names, (name) =>
      Effect.promise(async () => {
        const account = owners.get(name) ?? lane
        const owner = Address.of(account.address)
        const terms = offer({ id: name, order: { owner, deadline: 1n, destChainId: BigInt(node.chainId), ...changes } })
        const signed = await account.signAuthorization({ chainId: node.chainId, contractAddress: delegate, nonce: 0 })
        const authorization = {
          ...signed,
          address: delegate,
          nonce: 0n,
          yParity: signed.yParity === 1 ? 1 : 0
        } as const
        const submission = AUTHORIZING.has(name) ? { signature: SIGNATURE, authorization } : { signature: SIGNATURE }
        const intent = { ...terms, id: name, status: "submitted", submission, createdAtMs: 0, updatedAtMs: 0 } as const
        return { intent, signed, isSettled: false, isCarried: true }
      })
    )
    const data = contracts.encodeRun(
      sweeps.map(({ intent: { order } }) => ({
        account: order.owner,
        gasLimit: 300_000n,
        data: contracts.encodeExecute(order, SIGNATURE)
      }))
    )
    const authorizationList = sweeps.flatMap(({ intent, signed }) => (AUTHORIZING.has(intent.id) ? [signed] : []))
    const content = { ...common, nonce: 0, to: entry, data, gas: 5_000_000n }
    const raw = yield* Effect.promise(() =>
      authorizationList.length === 0
        ? lane.signTransaction(content)
        : lane.signTransaction({ ...content, type: "eip7702", authorizationList })
    )
    const before: Array<Hex> = []
    for (const [name, account] of owners) {
      if (!names.includes(name) || !name.startsWith("became stale")) continue
      before.push(yield* sent(account, 0))
      if (name === "became stale, then other") before.push(yield* redelegated(account, 1))
    }
    const hash: Hash = yield* node.ask("mine one block", async (it) => {
      await it.setAutomine(false)
      await it.setIntervalMining({ interval: 0 })
      for (const serializedTransaction of before) await it.sendRawTransaction({ serializedTransaction })
      const own = await it.sendRawTransaction({ serializedTransaction: raw })
      await it.mine({ blocks: 1 })
      return own
    })
    const receipt = Option.getOrThrow(yield* client.receipt(hash))
    const block = Option.getOrThrow(yield* client.block(receipt.blockNumber))
    const skipsOf = yield* Skips.make
    const attempts = [{ hash, raw, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, signedAtMs: 0 }]
    const mined = { block, receipt: { ...receipt, effectiveGasPrice: 1n }, transaction: { attempts } }
    assert.strictEqual(receipt.status, "success")
    return { skips: yield* skipsOf(seenBy(client), mined, sweeps), gasUsed: receipt.gasUsed }
  })

  return batch
})

layer(Layer.merge(chains, SweepContracts.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "a batch on a node",
  (it) => {
    it.effect("shows which sweeps the entry skipped, and they cost no more than they bear", () =>
      Effect.gen(function* () {
        const batch = yield* made
        const proved: ReadonlyArray<Name> = ["runs other code", "runs no code", "was stale", "became stale"]
        const all = yield* batch(["runs ours", ...proved, "became stale, then other"])
        assert.deepStrictEqual([...all.skips.keys()].toSorted(), proved.toSorted())

        const without = yield* batch(["runs ours", "became stale, then other"])
        assert.strictEqual(without.skips.size, 0)
        const cost = all.gasUsed - without.gasUsed
        const borne = [...all.skips.values()].reduce((sum, gas) => sum + gas, 0n)
        assert.isTrue(borne >= cost && borne < (cost * 110n) / 100n, `${borne} of ${cost}`)
      })
    )

    it.effect("shows that a sweep which is alone has not paid native currency", () =>
      Effect.gen(function* () {
        const batch = yield* made
        const toNative = { tokenOut: NATIVE, destination: address(0xdd) }
        // Its signature is wrong, so it ends before the guard.
        const failed = yield* batch(["runs ours"], toNative)
        assert.deepStrictEqual([...failed.skips], [["runs ours", failed.gasUsed]])
        assert.deepStrictEqual([...(yield* batch(["was stale"], toNative)).skips.keys()], ["was stale"])
        assert.strictEqual((yield* batch(["runs ours"])).skips.size, 0)
      })
    )

    it.effect("shows no skip by an account state that only one of two endpoints gives", () =>
      Effect.gen(function* () {
        const batch = yield* made
        const runsNothing = { call: () => Effect.succeed(numberToHex(0n, { size: 32 })) }
        const { skips } = yield* batch(["runs ours", "was stale"], {}, (client) => lying(client, runsNothing))
        assert.deepStrictEqual([...skips.keys()], ["was stale"])
      })
    )
  }
)
