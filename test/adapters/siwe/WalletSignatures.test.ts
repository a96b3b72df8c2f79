import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { encodeFunctionData, keccak256, serializeErc6492Signature, stringToHex } from "viem"
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts"
import * as WalletSignatures from "../../../src/adapters/siwe/WalletSignatures.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { CallReverted, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { WalletSignatures as Port } from "../../../src/ports/builder/WalletSignatures.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { chains, OneChain } from "../../support/OneChain.ts"
import { factoryAbi, factoryCode } from "./contractWallet.ts"

const MESSAGE = "dashboard.example.com wants you to sign in with your Ethereum account:"
const CHAIN_ID = 31337

const sign = (account: PrivateKeyAccount, message = MESSAGE) => Effect.promise(() => account.signMessage({ message }))
const stranger = () => privateKeyToAccount(generatePrivateKey())

const verify = (wallet: string, signature: Hex, claim: { readonly message?: string; readonly chainId?: number } = {}) =>
  Effect.flatMap(Port, (port) =>
    port.verify({ wallet: Address.of(wallet), message: MESSAGE, chainId: CHAIN_ID, signature, ...claim })
  )

/** A factory on the chain, and the address of each owner's wallet. */
const deployFactory = Effect.gen(function* () {
  const { anvil, deployer } = yield* OneChain
  const account = privateKeyToAccount(deployer.privateKey)
  const send = (data: Hex, to?: Address.Address) =>
    anvil.ask("send", async (client) => {
      const hash = await client.sendTransaction({
        account,
        chain: client.chain,
        data,
        ...(to === undefined ? {} : { to })
      })
      return client.waitForTransactionReceipt({ hash })
    })
  const receipt = yield* send(factoryCode)
  const factory = Address.of(receipt.contractAddress ?? "")
  const deployment = (owner: PrivateKeyAccount) =>
    encodeFunctionData({ abi: factoryAbi, functionName: "deploy", args: [owner.address] })
  return {
    factory,
    deployment,
    deploy: (owner: PrivateKeyAccount) => send(deployment(owner), factory),
    walletOf: (owner: PrivateKeyAccount) =>
      anvil.ask("address", (client) =>
        client.readContract({ address: factory, abi: factoryAbi, functionName: "addressOf", args: [owner.address] })
      )
  }
})

const live = { excludeTestServices: true, timeout: 60_000 } as const

layer(WalletSignatures.layerWith({ timeout: "2 seconds" }).pipe(Layer.provideMerge(chains)), live)(
  "signatures on a chain",
  (it) => {
    it.effect("a contract wallet's owner signs for it, deployed or not", () =>
      Effect.gen(function* () {
        const { deploy, deployment, factory, walletOf } = yield* deployFactory
        const [owner, other] = [stranger(), stranger()]
        const wallet = yield* walletOf(owner)
        const wrap = (signature: Hex) =>
          serializeErc6492Signature({ address: factory, data: deployment(owner), signature })
        const [right, wrong] = [yield* sign(owner), yield* sign(other)]

        assert.isFalse(yield* verify(wallet, right), "not deployed, and nothing says how")
        assert.isTrue(yield* verify(wallet, wrap(right)))
        assert.isFalse(yield* verify(wallet, wrap(wrong)))
        assert.isFalse(yield* verify(yield* walletOf(other), wrap(right)), "the deployment of another wallet")
        const { anvil } = yield* OneChain
        const code = yield* anvil.ask("code", (client) => client.getCode({ address: Address.of(wallet) }))
        assert.isUndefined(code, "the check itself deploys nothing")

        yield* deploy(owner)
        assert.isTrue(yield* verify(wallet, right))
        assert.isTrue(yield* verify(wallet, wrap(right)))
        assert.isFalse(yield* verify(wallet, wrong))
        assert.isFalse(yield* verify(wallet, right, { message: "another message" }))
        assert.isFalse(yield* verify(wallet, right, { chainId: 1 }), "a chain that is not served")
      })
    )

    it.effect("a wallet that runs forever is cut off by its gas", () =>
      Effect.gen(function* () {
        const { deploy, walletOf } = yield* deployFactory
        const owner = stranger()
        yield* deploy(owner)
        assert.isFalse(yield* verify(yield* walletOf(owner), "0x00"))
      })
    )

    it.effect("an account that signs nothing is nobody's", () =>
      Effect.gen(function* () {
        const account = stranger()
        for (const signature of ["0x", "0x00", `0x${"00".repeat(65)}`, yield* sign(stranger())] as const) {
          assert.isFalse(yield* verify(account.address, signature))
        }
      })
    )
  }
)

describe("signatures without a chain", () => {
  const without = WalletSignatures.layer.pipe(Layer.provide(FakeChain.layer({})))

  it.effect("an account's own key needs none", () =>
    Effect.gen(function* () {
      const account = stranger()
      assert.isTrue(yield* verify(account.address, yield* sign(account)))
      assert.isTrue(yield* verify(account.address, yield* sign(account), { chainId: 1 }))
      assert.isFalse(yield* verify(account.address, `0x${"12".repeat(20_000)}`), "too long to be looked at")
    }).pipe(Effect.provide(without))
  )

  const answering = (answer: Effect.Effect<Hex, CallReverted | ChainUnavailable>, timeout = 100) =>
    WalletSignatures.layerWith({ timeout }).pipe(Layer.provide(FakeChain.layer({ call: () => answer })))

  const ask = (answer: Effect.Effect<Hex, CallReverted | ChainUnavailable>) =>
    verify(stranger().address, "0x12").pipe(Effect.provide(answering(answer)))

  it.live("only a clear yes counts", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* ask(Effect.succeed("0x01")))
      const answers: ReadonlyArray<Hex> = ["0x", "0x00", "0x02", keccak256(stringToHex("x")), `0x${"00".repeat(31)}01`]
      for (const answer of answers) assert.isFalse(yield* ask(Effect.succeed(answer)))
      const reverted = new CallReverted({ chainId: CHAIN_ID, data: "0x", detail: "no" })
      assert.isFalse(yield* ask(Effect.fail(reverted)))
    })
  )

  it.live("a node that is silent or away is no answer", () =>
    Effect.gen(function* () {
      const away = new ChainUnavailable({ chainId: CHAIN_ID, method: "eth_call", detail: "away" })
      for (const answer of [Effect.never, Effect.fail(away)]) {
        const failure = yield* Effect.flip(ask(answer))
        assert.strictEqual(failure._tag, "ChainUnavailable")
      }
    })
  )
})
